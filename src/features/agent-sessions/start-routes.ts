/*
 * Who knows only a request's id cannot disturb its poll.
 * Decision: polls with the right token and polls with a wrong one have 60 a minute each.
 * Because: the id is in the address that people share.
 * Cost: one more bucket.
 */

import { challengeOf } from "../../domain/challenge";
import { ApiError, invalidField } from "../../domain/errors";
import { knownScopes, type Scope, scopes, scopesDefault } from "../../domain/scope";
import type { Deps } from "../../http/deps";
import { free } from "../../http/operation/facts";
import { publicOperation } from "../../http/operation/public-operation";
import {
  exchangeCodeOf,
  isPollToken,
  openRequest,
  requestById,
} from "../../store/control/auth-requests";
import { callbackOf } from "./callback";
import { endedAs, invalidPollToken } from "./refusals";
import { Polled, PollRequest, Started, StartRequest } from "./schema";

export const metadataBytesMax = 4 * 1024;
export const pollPerMinuteMax = 60;

const tag = "Agent sign-in";

/** The operations by which a program asks, and waits for a person's answer. */
export const startRoutes = (deps: Deps) => [startRoute(deps), pollRoute(deps)];

const startRoute = (deps: Deps) =>
  publicOperation("POST /agent-sessions/start", {
    access: free("none"),
    doc: {
      id: "startAgentSession",
      summary: "Request access",
      description:
        "The first step of agent sign-in: open or show authorize_url, and a person approves in the browser. " +
        "Interactive clients get exchange_code at callback_url. Detached clients get it from POST " +
        "/agent-sessions/poll, or from the person as the finish code. Exchange it for tokens with POST " +
        "/agent-sessions/exchange.",
      tag,
      errors: ["INVALID_SCOPE"],
    },
    takes: StartRequest,
    returns: { 201: Started },
    handle: ({ input }) => {
      const { config, control } = deps;
      const isInteractive = input.mode === "interactive";
      const granted = scopesOf(input.scopes);
      const { row, pollToken } = openRequest(control, {
        mode: input.mode,
        clientType: input.client_type,
        clientName: input.client_name ?? null,
        clientInstanceId: input.client_instance_id ?? null,
        label: input.label ?? null,
        scopes: granted,
        callbackUrl: isInteractive
          ? callbackOf(input.callback_url, config.agentCallbackOrigins)
          : null,
        codeChallenge:
          input.code_challenge === undefined ? null : challengeOf(input.code_challenge),
        metadata: metadataOf(input.metadata),
      });
      return {
        ok: true,
        auth_request_id: row.id,
        authorize_url: `${config.publicUrl}/agent-sessions/authorize/${row.id}`,
        approval_code: row.approvalCode,
        poll_token: pollToken,
        mode: row.mode,
        expires_at: row.expiresAtMs,
        scopes: [...granted],
      };
    },
  });

function scopesOf(asked: readonly string[] | undefined): readonly Scope[] {
  if (asked === undefined) return scopesDefault;
  const known = knownScopes(asked);
  if (known.length > 0) return known;
  throw new ApiError(
    "INVALID_SCOPE",
    `Request at least one of these scopes: ${scopes.join(", ")}.`,
  );
}

function metadataOf(metadata: Readonly<Record<string, unknown>> | undefined): string | null {
  if (metadata === undefined) return null;
  const text = JSON.stringify(metadata);
  if (Buffer.byteLength(text) <= metadataBytesMax) return text;
  throw invalidField(
    "metadata",
    `"metadata" is too large: send at most ${metadataBytesMax} bytes of JSON.`,
  );
}

const pollRoute = (deps: Deps) =>
  publicOperation("POST /agent-sessions/poll", {
    access: free("none"),
    doc: {
      id: "pollAgentSession",
      summary: "Check whether a request was approved",
      description:
        "Poll at most every two seconds. After approval of a detached request, the response has the " +
        "exchange_code for POST /agent-sessions/exchange; the code of an interactive request only goes to " +
        "callback_url. 410 means that the request was denied or has expired: start again.",
      tag,
      errors: [
        "INVALID_POLL_TOKEN",
        "AUTH_REQUEST_EXPIRED",
        "AUTH_REQUEST_REVOKED",
        "RATE_LIMITED",
      ],
    },
    takes: PollRequest,
    returns: { 200: Polled },
    handle: ({ input }) => {
      const { control, rates } = deps;
      const request = requestById(control, input.auth_request_id);
      if (request === null) throw invalidPollToken();
      const isRight = isPollToken(request, input.poll_token);
      // A sender that only knows the id, which is no secret, cannot use up what the client itself may poll.
      rates.spendOfStranger(`${isRight ? "poll" : "wrong poll"}:${request.id}`, pollPerMinuteMax);
      if (!isRight) throw invalidPollToken();
      const { state, approver } = request;
      const answer = {
        // The program that started an interactive request need not be the one that the callback leads to.
        exchange_code: request.mode === "detached" ? exchangeCodeOf(control, request) : null,
        account_id: approver?.accountId ?? null,
        approved_email: approver?.email ?? null,
      };
      if (state === "expired" || state === "revoked") throw endedAs(state, answer);
      return { status: state, ...answer };
    },
  });

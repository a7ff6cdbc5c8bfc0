import { ApiError } from "../../domain/errors";
import { effectiveTier } from "../../domain/plan";
import { knownScopes } from "../../domain/scope";
import type { Deps } from "../../http/deps";
import { free } from "../../http/operation/facts";
import { publicOperation } from "../../http/operation/public-operation";
import { clock } from "../../lib/clock";
import { refresh } from "../../store/control/agent-sessions";
import {
  type Approver,
  type AuthRequest,
  requestById,
  takeRequest,
} from "../../store/control/auth-requests";
import type { Control } from "../../store/control/control";
import { invalidExchangeCode, invalidVerifier, refusedExchange } from "./refusals";
import { Exchanged, ExchangeRequest, Refreshed, RefreshRequest } from "./schema";

const tag = "Agent sign-in";

/** The operations by which a program gets its tokens. */
export const tokenRoutes = (deps: Deps) => [exchangeRoute(deps), refreshRoute(deps)];

const exchangeRoute = (deps: Deps) =>
  publicOperation("POST /agent-sessions/exchange", {
    access: free("none"),
    doc: {
      id: "exchangeAgentSession",
      summary: "Exchange a code for tokens",
      description:
        "The exchange_code (the finish code of a detached sign-in) works once. Send " +
        "access_token as Authorization: Bearer for an hour, and refresh_token to POST /agent-sessions/refresh. " +
        "Five wrong codes or verifiers end the request.",
      tag,
      errors: [
        "INVALID_EXCHANGE_CODE",
        "INVALID_CODE_VERIFIER",
        "INVALID_STATE",
        "AUTH_REQUEST_ALREADY_EXCHANGED",
        "AUTH_REQUEST_EXPIRED",
        "AUTH_REQUEST_REVOKED",
      ],
    },
    takes: ExchangeRequest,
    returns: { 200: Exchanged },
    handle: ({ input }) => {
      const { control } = deps;
      // A code of OAuth is for its own endpoint, which looks at more.
      if (requestById(control, input.auth_request_id)?.oauthClientId != null) {
        throw invalidExchangeCode();
      }
      const proof = { code: input.exchange_code, verifier: input.code_verifier };
      const taken = takeRequest(control, input.auth_request_id, proof, (request, approver) => ({
        account: viewOwner(approver),
        agent_session: signIn(control, request, approver),
      }));
      if (taken.kind === "taken") return { ok: true, ...taken.begun };
      if (taken.kind === "wrong code") throw invalidExchangeCode();
      if (taken.kind === "wrong verifier") throw invalidVerifier();
      throw refusedExchange(taken.request);
    },
  });

function signIn(control: Control, request: AuthRequest, { accountId, personId }: Approver) {
  const { clientType, clientName, clientInstanceId, label } = request;
  const scopes = knownScopes(request.scopes.split(" "));
  const client = { clientType, clientName, clientInstanceId, label };
  const begun = control.agents.addSession(
    { accountId, personId, scopes, ...client },
    clock.nowMs(),
  );
  return {
    id: begun.id,
    access_token: begun.accessToken,
    refresh_token: begun.refreshToken,
    access_expires_at: begun.accessExpiresAtMs,
    refresh_expires_at: begun.refreshExpiresAtMs,
    scopes: [...scopes],
  };
}

const refreshRoute = (deps: Deps) =>
  publicOperation("POST /agent-sessions/refresh", {
    access: free("none"),
    doc: {
      id: "refreshAgentSession",
      summary: "Get a new access token",
      description:
        "Use it after a 401, then repeat the request with the new access_token. The refresh token stays the " +
        "same and lasts 90 days from now, a year in total; earlier access tokens stay valid for their hour.",
      tag,
      errors: ["INVALID_REFRESH_TOKEN"],
    },
    takes: RefreshRequest,
    returns: { 200: Refreshed },
    handle: ({ input }) => {
      const refreshed = refresh(deps.control, input.refresh_token);
      if (refreshed === null) {
        throw new ApiError(
          "INVALID_REFRESH_TOKEN",
          "This refresh token is unknown, expired or revoked. Sign in again.",
        );
      }
      const { session, owner, accessToken } = refreshed;
      return {
        ok: true,
        agent_session: {
          id: session.id,
          session_id: session.id,
          access_token: accessToken,
          refresh_token: input.refresh_token,
          access_expires_at: session.accessExpiresAtMs,
          refresh_expires_at: session.refreshExpiresAtMs,
          scopes: [...knownScopes(session.scopes.split(" "))],
        },
        account: viewOwner(owner),
      };
    },
  });

const viewOwner = (owner: Approver) => ({
  id: owner.accountId,
  email: owner.email,
  github_login: null,
  google_name: null,
  tier: effectiveTier(owner),
});

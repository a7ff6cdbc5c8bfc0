import { knownScopes } from "../../domain/scope";
import type { Deps } from "../../http/deps";
import { free } from "../../http/operation/facts";
import { nothing } from "../../http/operation/input";
import { textOperation } from "../../http/operation/public-operation";
import { clock, secondMs } from "../../lib/clock";
import { type AuthRequest, takeRequest } from "../../store/control/auth-requests";
import {
  beginSession,
  endSessionOf,
  requestByCode,
  rotate,
} from "../../store/control/oauth-sessions";
import type { Clients } from "./clients";
import { inOauthWords, only, Refused } from "./refused";
import { resourceOf } from "./resource";
import { OauthRefusal, OauthTokens } from "./schema";

export const tokenRoute = (deps: Deps, clients: Clients) =>
  textOperation("POST /oauth/token", {
    access: free("none"),
    isLenient: true,
    doc: {
      id: "getTokens",
      summary: "Exchange a code or a refresh token",
      description:
        "RFC 6749, as a form: `grant_type` `authorization_code` or `refresh_token`, `client_id`; a refresh " +
        "with `scope` returns an access token with only these scopes. Each refresh returns a new refresh " +
        "token; the old one works for another minute, and its later use ends the session.",
      tag: "Agent sign-in",
    },
    takes: nothing,
    returns: { 200: OauthTokens, 400: OauthRefusal, 401: OauthRefusal },
    handle: ({ text, request }) =>
      inOauthWords(200, () => {
        const form = new URLSearchParams(text);
        const clientId = clientOf(clients, form, request.headers);
        switch (only(form, "grant_type")) {
          case "authorization_code":
            return exchanged(deps, form, clientId);
          case "refresh_token":
            return refreshed(deps, form, clientId);
          case null:
            throw new Refused(
              "invalid_request",
              "grant_type is required. Send the parameters as a form.",
            );
          default:
            throw new Refused(
              "unsupported_grant_type",
              "grant_type must be authorization_code or refresh_token.",
            );
        }
      }),
  });

/** All clients are public: who they are is what they say, and what they can prove by PKCE. */
function clientOf(clients: Clients, form: URLSearchParams, headers: Headers): string {
  const id = only(form, "client_id");
  if (id === null)
    throw new Refused("invalid_request", "client_id is required. Send the parameters as a form.");
  if (headers.has("authorization") || form.has("client_secret")) {
    throw new Refused(
      "invalid_client",
      "This server does not use client secrets. Send only client_id.",
      401,
    );
  }
  if (clients.isKnown(id)) return id;
  throw new Refused(
    "invalid_client",
    "This client is not registered on this server. Register it again.",
    401,
  );
}

function exchanged({ config, control }: Deps, form: URLSearchParams, clientId: string) {
  const code = needed(form, "code");
  const verifier = needed(form, "code_verifier");
  const request = requestByCode(control, code);
  if (request === null || request.oauthClientId !== clientId) throw invalidCode();
  if (request.state === "exchanged") {
    endSessionOf(control, request);
    throw invalidCode();
  }
  const redirect = only(form, "redirect_uri");
  if (redirect !== null && redirect !== request.callbackUrl) throw invalidCode();
  requireResource(config, form, request.resource);
  const taken = takeRequest(control, request.id, { code, verifier }, (approved, approver) => ({
    scope: scopeOf(approved),
    ...beginSession(control, approved, approver),
  }));
  if (taken.kind !== "taken") throw invalidCode();
  const { begun } = taken;
  return tokens(begun.accessToken, begun.accessExpiresAtMs, begun.refreshToken, begun.scope);
}

function refreshed({ config, control }: Deps, form: URLSearchParams, clientId: string) {
  const token = needed(form, "refresh_token");
  const rotated = rotate(control, token, clientId, (session) => {
    requireResource(config, form, session.resource);
    return narrowed(
      only(form, "scope")?.split(" ").filter(Boolean) ?? [],
      session.scopes.split(" "),
    );
  });
  if (rotated === null) {
    throw new Refused(
      "invalid_grant",
      "This refresh token is invalid: it is unknown, already used or revoked. Sign in again.",
    );
  }
  const { session, accessToken, refreshToken } = rotated;
  return tokens(accessToken, session.accessExpiresAtMs, refreshToken, scopeOf(rotated));
}

/** The scopes that a refresh asks for, of those that were approved (RFC 6749, 6); null for all of them. */
function narrowed(asked: readonly string[], approved: readonly string[]): string | null {
  if (!asked.every((scope) => approved.includes(scope))) {
    throw new Refused(
      "invalid_scope",
      "A refresh cannot add scopes. Start a new sign-in to request more.",
    );
  }
  return asked.length === 0 ? null : [...new Set(asked)].join(" ");
}

function requireResource(
  config: Deps["config"],
  form: URLSearchParams,
  granted: AuthRequest["resource"],
): void {
  const named = form.getAll("resource");
  if (named.length === 0 || resourceOf(config, named) === granted) return;
  throw new Refused(
    "invalid_target",
    "This is not the approved resource. Send the resource of the sign-in, or start a new sign-in.",
  );
}

function needed(form: URLSearchParams, name: string): string {
  const value = only(form, name);
  if (value !== null) return value;
  throw new Refused("invalid_request", `${name} is required.`);
}

const invalidCode = (): Refused =>
  new Refused(
    "invalid_grant",
    "This code is invalid: it is unknown, expired, already used, from another client, or does not match " +
      "code_verifier or redirect_uri. Start the sign-in again.",
  );

const scopeOf = ({ scopes }: { readonly scopes: string }): string =>
  knownScopes(scopes.split(" ")).join(" ");

const tokens = (access: string, expiresAtMs: number, refresh: string, scope: string) => ({
  access_token: access,
  token_type: "Bearer" as const,
  expires_in: Math.floor((expiresAtMs - clock.nowMs()) / secondMs),
  refresh_token: refresh,
  scope,
});

import { ApiError } from "../../domain/errors";
import { isAllowedRedirect, isRegistered, redirectOf, withParameters } from "../../domain/oauth";
import { knownScopes, oauthScopesDefault, type Scope, scopesOfTools } from "../../domain/scope";
import type { Deps } from "../../http/deps";
import { queryOf } from "../../http/edge/url";
import { free } from "../../http/operation/facts";
import { nothing } from "../../http/operation/input";
import { publicOperation } from "../../http/operation/public-operation";
import { htmlType } from "../../http/pages/html";
import { openRequest } from "../../store/control/auth-requests";
import type { Client } from "./client";
import type { Clients } from "./clients";
import { only, Refused } from "./refused";
import { resourceOf } from "./resource";

const stateCharsMax = 4_096;
/** RFC 7636: SHA-256 in base64url, without padding. */
const challengeForm = /^[\w-]{43}$/;

export const authorizeRoute = (deps: Deps, clients: Clients) =>
  publicOperation("GET /oauth/authorize", {
    access: free("none"),
    isPage: true,
    isLenient: true,
    doc: {
      id: "authorize",
      summary: "Request access with OAuth 2.1",
      description:
        "RFC 6749 with PKCE: `response_type=code`, `client_id`, `redirect_uri`, `code_challenge`, " +
        "`code_challenge_method=S256`; `scope`, `state`, `resource`. Leads to log-in and the approval page.",
      tag: "Agent sign-in",
      errors: ["MISSING_FIELDS"],
      produces: htmlType,
      redirects: "always",
    },
    takes: nothing,
    returns: {},
    handle: async ({ request }) => {
      const query = queryOf(request);
      const asked = await clientAndRedirect(deps, clients, query);
      return redirectTo(askPerson(deps, asked, query));
    },
  });

interface ClientRedirect {
  readonly client: Client;
  /** The redirect as the client has sent it. */
  readonly redirect: string;
}

/** Finds the client, and the address for the answer. While these are not certain no browser is redirected. */
async function clientAndRedirect(
  { config }: Deps,
  clients: Clients,
  query: URLSearchParams,
): Promise<ClientRedirect> {
  const client = await clients.byId(needed(query, "client_id"));
  const redirect = needed(query, "redirect_uri");
  const url = redirectOf(redirect);
  if (url === null || !isRegistered(url, redirect, client.redirectUris)) {
    throw wrongRedirect("is not one that this program registered");
  }
  const listedOrigins = config.oauthRedirectOrigins;
  if (!isAllowedRedirect(url, { listedOrigins, documentOrigin: client.documentOrigin })) {
    throw wrongRedirect(
      "leads to a site that this server does not allow. Its administrator can add the site to " +
        "OAUTH_REDIRECT_ORIGINS",
    );
  }
  return { client, redirect };
}

function needed(query: URLSearchParams, name: string): string {
  const values = query.getAll(name);
  const [value = ""] = values;
  if (values.length === 1 && value !== "") return value;
  const message = `The program that sent you here must send exactly one ${name}. Start the sign-in there again.`;
  throw new ApiError("MISSING_FIELDS", message, { field: name });
}

const wrongRedirect = (why: string): ApiError =>
  new ApiError("MISSING_FIELDS", `The program's redirect address ${why}.`, {
    field: "redirect_uri",
  });

/** Returns where the browser goes: to the page that asks the person, or back with what was wrong. */
function askPerson(
  deps: Deps,
  { client, redirect }: ClientRedirect,
  query: URLSearchParams,
): string {
  const { publicUrl } = deps.config;
  const [state = null] = query.getAll("state");
  try {
    const { codeChallenge, ...terms } = termsOf(deps, query);
    const { row } = openRequest(deps.control, {
      ...terms,
      mode: "interactive",
      clientType: "mcp",
      clientName: client.name,
      clientInstanceId: null,
      label: null,
      callbackUrl: redirect,
      codeChallenge: Buffer.from(codeChallenge, "base64url").toString("hex"),
      metadata: null,
      oauthClientId: client.id,
    });
    return `${publicUrl}/agent-sessions/authorize/${row.id}`;
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    const { code, message } = error;
    return withParameters(redirect, {
      error: code,
      error_description: message,
      ...(state !== null && { state }),
      iss: publicUrl,
    });
  }
}

function termsOf({ config }: Deps, query: URLSearchParams) {
  if (only(query, "response_type") !== "code") {
    throw new Refused("unsupported_response_type", 'response_type must be "code".');
  }
  const codeChallenge = only(query, "code_challenge");
  const isS256 = only(query, "code_challenge_method") === "S256";
  if (codeChallenge === null || !challengeForm.test(codeChallenge) || !isS256) {
    throw new Refused(
      "invalid_request",
      "code_challenge is required, with code_challenge_method=S256.",
    );
  }
  const oauthState = only(query, "state");
  if (oauthState !== null && oauthState.length > stateCharsMax) {
    throw new Refused("invalid_request", `state must have at most ${stateCharsMax} characters.`);
  }
  const resource = resourceOf(config, query.getAll("resource"));
  return { codeChallenge, oauthState, resource, ...scopesOf(only(query, "scope")) };
}

/** Reading is granted with the approval; each right to write is the person's to add. */
function scopesOf(asked: string | null): {
  readonly scopes: readonly Scope[];
  readonly offeredScopes: string;
} {
  const known = asked === null ? oauthScopesDefault : knownScopes(asked.split(" "));
  if (known.length === 0)
    throw new Refused("invalid_scope", "This server has none of the requested scopes.");
  const writes = (scope: Scope): boolean => scope.endsWith(":write");
  const reading = known.filter((scope) => !writes(scope));
  const offered = new Set([...known, ...scopesOfTools].filter(writes));
  return {
    scopes: reading.length > 0 ? reading : oauthScopesDefault,
    offeredScopes: [...offered].join(" "),
  };
}

const redirectTo = (location: string): Response =>
  new Response(null, { status: 302, headers: { location, "cache-control": "no-store" } });

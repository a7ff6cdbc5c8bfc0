import { isAllowedRedirect, redirectOf } from "../../domain/oauth";
import type { Deps } from "../../http/deps";
import { free } from "../../http/operation/facts";
import { isObject, nothing } from "../../http/operation/input";
import { textOperation } from "../../http/operation/public-operation";
import { secondMs } from "../../lib/clock";
import { registerClient } from "../../store/control/oauth-clients";
import { clientNameOf } from "./client";
import { inOauthWords, Refused } from "./refused";
import { OauthClient, OauthRefusal } from "./schema";

const registrationBytesMax = 8 * 1024;
/** Clients that register several name their sites and this machine. A document, which is not stored, may name more. */
const registeredRedirectsMax = 5;
const registeredRedirectBytesMax = 500;
const grantTypes = ["authorization_code", "refresh_token"];

export const registerRoute = ({ config, control }: Deps) =>
  textOperation("POST /oauth/register", {
    access: free("none"),
    isLenient: true,
    doc: {
      id: "registerClient",
      summary: "Register a client",
      description:
        "RFC 7591, for public clients: 1 to 5 `redirect_uris` of at most 500 bytes, `client_name`. The " +
        "registration expires after a day without an approval, or after 90 days without use.",
      tag: "Agent sign-in",
    },
    takes: nothing,
    returns: { 201: OauthClient, 400: OauthRefusal },
    bodyBytesMax: registrationBytesMax,
    handle: ({ text }) =>
      inOauthWords(201, () => {
        const asked = metadataIn(text);
        const redirectUris = redirectsOf(asked.redirect_uris, config.oauthRedirectOrigins);
        requireOurs(asked.grant_types, "authorization_code");
        requireOurs(asked.response_types, "code");
        const name = clientNameOf(asked.client_name);
        const { id, createdAtMs } = registerClient(control, { name, redirectUris });
        return {
          client_id: id,
          client_id_issued_at: Math.floor(createdAtMs / secondMs),
          ...(name !== null && { client_name: name }),
          redirect_uris: [...redirectUris],
          grant_types: grantTypes,
          response_types: ["code"],
          token_endpoint_auth_method: "none" as const,
        };
      }),
  });

function metadataIn(text: string): Readonly<Record<string, unknown>> {
  const asked = parsed(text);
  if (isObject(asked)) return asked;
  throw new Refused("invalid_client_metadata", "The request body must be a JSON object.");
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function redirectsOf(asked: unknown, listedOrigins: readonly string[] | null): readonly string[] {
  const isList = Array.isArray(asked) && asked.length > 0 && asked.length <= registeredRedirectsMax;
  if (!isList)
    throw wrongRedirect(
      `redirect_uris must be a list of 1 to ${registeredRedirectsMax} addresses.`,
    );
  return asked.map((one: unknown) => {
    const url = typeof one === "string" ? redirectOf(one) : null;
    if (typeof one !== "string" || url === null) {
      throw wrongRedirect("Each redirect_uri must be an absolute URL without a fragment.");
    }
    if (Buffer.byteLength(one) > registeredRedirectBytesMax) {
      throw wrongRedirect(
        `Each redirect_uri must have at most ${registeredRedirectBytesMax} bytes.`,
      );
    }
    if (isAllowedRedirect(url, { listedOrigins, documentOrigin: null })) return one;
    throw wrongRedirect(
      "Each redirect_uri must be http on 127.0.0.1, [::1] or localhost, or belong to a site that this server " +
        "allows. Its administrator can add sites to OAUTH_REDIRECT_ORIGINS.",
    );
  });
}

const wrongRedirect = (message: string): Refused => new Refused("invalid_redirect_uri", message);

/** Lets a client leave out a field, or name what we do; another value is refused. */
function requireOurs(asked: unknown, needed: string): void {
  if (asked === undefined || asked === null) return;
  if (Array.isArray(asked) && asked.includes(needed)) return;
  throw new Refused("invalid_client_metadata", `This server only supports clients with ${needed}.`);
}

import type { Config } from "../../config";
import type { Caller } from "../../domain/caller";
import { ApiError } from "../../domain/errors";
import { oauthScopesDefault } from "../../domain/scope";
import { type AccessRule, hasAccount } from "../operation/facts";
import { wellKnownAt } from "./base-path";

type Fields = Readonly<Record<string, string>>;
const none: Fields = {};

interface ChallengeInput {
  readonly rule: AccessRule;
  readonly caller: Caller | null;
  readonly config: Pick<Config, "publicOrigin" | "basePath">;
}

/** Returns the header by which a refusal names the credential that would open the operation (RFC 6750, RFC 9728). */
export function challengeOf(thrown: unknown, { rule, caller, config }: ChallengeInput): Fields {
  if (!(thrown instanceof ApiError) || !hasAccount(rule.access)) return none;
  const { code, extras } = thrown;
  switch (code) {
    case "AUTH_REQUIRED":
      return bearer(config, oauthScopesDefault);
    case "INVALID_TOKEN":
      return bearer(config, oauthScopesDefault, "invalid_token");
    case "FORBIDDEN": {
      const { required_scope: needed } = extras;
      if (needed === undefined) return none;
      // A client that signs in again asks for what is named here, and would lose what it has.
      const held = rule.access === "program" ? [...(caller?.scopes ?? [])] : [];
      return bearer(config, [...held, needed], "insufficient_scope");
    }
    default:
      return none;
  }
}

function bearer(
  config: Pick<Config, "publicOrigin" | "basePath">,
  scopes: readonly string[],
  error?: string,
): Fields {
  const document = config.publicOrigin + wellKnownAt(config, "oauth-protected-resource", "/mcp");
  const parts = [
    `resource_metadata="${document}"`,
    `scope="${scopes.join(" ")}"`,
    ...(error === undefined ? [] : [`error="${error}"`]),
  ];
  return { "www-authenticate": `Bearer ${parts.join(", ")}` };
}

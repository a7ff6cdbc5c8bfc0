import { ApiError } from "../../domain/errors";
import { scopesDefault } from "../../domain/scope";
import { type AccessRule, hasAccount } from "../operation/endpoint-index";

type Fields = Readonly<Record<string, string>>;
const none: Fields = {};

/** What a refusal of an account's operation says about the credential that would open it (RFC 6750). */
export function challengeOf(thrown: unknown, { access }: AccessRule): Fields {
  if (!(thrown instanceof ApiError) || !hasAccount(access)) return none;
  const { code, extras } = thrown;
  switch (code) {
    case "AUTH_REQUIRED":
      return bearer(scopesDefault.join(" "));
    case "INVALID_TOKEN":
      return bearer(scopesDefault.join(" "), "invalid_token");
    case "FORBIDDEN":
      if (extras.required_scope === undefined) return none;
      return bearer(extras.required_scope, "insufficient_scope");
    default:
      return none;
  }
}

const bearer = (scope: string, error?: string): Fields => ({
  "www-authenticate": `Bearer scope="${scope}"${error === undefined ? "" : `, error="${error}"`}`,
});

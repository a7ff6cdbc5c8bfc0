import { ConfigError } from "./config-error";

type JoinRole = "viewer" | "editor" | "admin";

/** The provider of single sign-on. */
export interface OidcSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** The name on the button of the log-in page. */
  readonly name: string;
  readonly scopes: string;
  /** The account that newcomers join whose address has one of these domains; null where an invitation is needed. */
  readonly join: {
    readonly accountId: string;
    readonly role: JoinRole;
    readonly domains: readonly string[];
  } | null;
  /** Takes a missing `email_verified` as true. */
  readonly trustsEmail: boolean;
  /** Passwords let in nobody but administrators of the server who have a second factor. */
  readonly isOnly: boolean;
}

interface Variables {
  text(name: string): string | null;
  choice<const T extends string>(name: string, allowed: readonly T[], otherwise: T): T;
}

const nameCharsMax = 64;
const domainForm = /^[a-z0-9-]+(\.[a-z0-9-]+)+$/;
const loopbackForm = /^(localhost|127(\.\d+){3}|\[::1\])$/;
const needed = ["OIDC_ISSUER", "OIDC_CLIENT_ID", "OIDC_CLIENT_SECRET"] as const;

/** Null where single sign-on is off. Throws ConfigError. */
export function oidcOf({ text, choice }: Variables): OidcSettings | null {
  const isOn = (name: string) => choice(name, ["true", "false"], "false") === "true";
  const isOnly = isOn("OIDC_ONLY");
  const missing = needed.filter((name) => text(name) === null);
  if (missing.length === needed.length) {
    if (isOnly) throw new ConfigError("OIDC_ONLY needs OIDC_ISSUER. Set it, or unset OIDC_ONLY.");
    return null;
  }
  if (missing.length > 0) {
    throw new ConfigError(
      `Single sign-on needs ${needed.join(", ")}. Set ${missing.join(" and ")}, or none of them.`,
    );
  }
  const name = text("OIDC_NAME") ?? "Single sign-on";
  if (name.length > nameCharsMax) {
    throw new ConfigError(`OIDC_NAME may have at most ${nameCharsMax} characters.`);
  }
  return {
    issuer: issuerOf(text("OIDC_ISSUER") ?? ""),
    clientId: text("OIDC_CLIENT_ID") ?? "",
    clientSecret: text("OIDC_CLIENT_SECRET") ?? "",
    name,
    scopes: text("OIDC_SCOPES") ?? "openid email profile",
    join: joinOf(
      text("OIDC_JOIN_ACCOUNT"),
      text("OIDC_DOMAINS"),
      choice("OIDC_JOIN_ROLE", ["viewer", "editor", "admin"], "viewer"),
    ),
    trustsEmail: isOn("OIDC_TRUST_EMAIL"),
    isOnly,
  };
}

function issuerOf(value: string): string {
  const url = URL.canParse(value) ? new URL(value) : null;
  const isSafe = url?.protocol === "https:" || loopbackForm.test(url?.hostname ?? "");
  if (url !== null && /^https?:$/.test(url.protocol) && isSafe) return value;
  throw new ConfigError(
    "OIDC_ISSUER must be an https address, such as https://login.example.com, or one of this machine.",
  );
}

function joinOf(
  accountId: string | null,
  listed: string | null,
  role: JoinRole,
): OidcSettings["join"] {
  if (accountId === null && listed === null) return null;
  const domains = (listed ?? "")
    .toLowerCase()
    .split(/[\s,]+/)
    .filter(Boolean);
  if (accountId === null || domains.length === 0) {
    throw new ConfigError(
      "OIDC_JOIN_ACCOUNT and OIDC_DOMAINS belong together. Set both, or neither.",
    );
  }
  const wrong = domains.find((domain) => !domainForm.test(domain));
  if (wrong !== undefined || !/^acc_[a-z0-9]{16}$/.test(accountId)) {
    throw new ConfigError(
      "OIDC_DOMAINS must be domains separated by commas, and OIDC_JOIN_ACCOUNT an id such as acc_….",
    );
  }
  return { accountId, role, domains };
}

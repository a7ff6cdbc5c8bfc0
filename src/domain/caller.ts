import { ApiError } from "./errors";
import type { Tier } from "./plan";
import type { Standing } from "./role";
import type { Share } from "./share";

/** Who sent a request, and with what. */
export interface Caller {
  readonly kind: "key" | "cookie" | "agent" | "share";
  /** The id of the agent session or the share, else of the account. */
  readonly id: string;
  /** The acting account: the one for which the caller does everything. */
  readonly account: CallerAccount;
  /** The person behind the credential; null for the demo and for shares, behind which is nobody. */
  readonly person: CallerPerson | null;
  /** The present rights of the person in the account; null with the person. */
  readonly standing: Standing | null;
  /** The scopes of an agent session; empty for API key and cookie, which may do everything. */
  readonly scopes: ReadonlySet<string>;
  readonly isDemo: boolean;
  /** Tells whether a client signed in by OAuth for tools alone: its token opens `/mcp` and nothing else. */
  readonly isForMcpOnly: boolean;
  /** The share whose token was sent; null for every other caller. */
  readonly share: Share | null;
  /** The hash under which a browser session is stored, or that of a share which a cookie opens. */
  readonly sessionHash: string | null;
  /** The log-in behind a browser session; null for every other credential. */
  readonly signIn: SignIn | null;
  /** A cookie that was renewed, to go out with the answer. */
  readonly setCookie: string | null;
}

export interface CallerAccount {
  readonly id: string;
  /** Null while the address of its owner names it. */
  readonly name: string | null;
  /** The tier whose rights the account has. */
  readonly tier: Tier;
  readonly complimentary: boolean;
  readonly createdAtMs: number;
  readonly rateLimitRpm: number;
  /** Members need a second factor to act in it by a browser. */
  readonly requiresTwoFactor: boolean;
}

export interface CallerPerson {
  readonly id: string;
  readonly email: string;
  /** May administer the server. That gives no right in an account. */
  readonly isAdmin: boolean;
}

/** The way in which a browser session came about. */
export interface SignIn {
  /** The last time at which the person gave the password in this browser: at the log-in, or to confirm an action. */
  readonly confirmedAtMs: number;
  /** The person has turned a second factor on. */
  readonly hasFactor: boolean;
  /** Single sign-on stands for a factor of ours: its provider asks for one as it sees fit. */
  readonly via: "password" | "oidc";
}

/** The person behind a caller, and the account for which they act. Throws FORBIDDEN where nobody is behind it. */
export function memberOf({ account, person }: Caller): {
  readonly accountId: string;
  readonly personId: string;
  readonly email: string;
} {
  if (person === null) throw new ApiError("FORBIDDEN", "Only a member of the account can do this.");
  return { accountId: account.id, personId: person.id, email: person.email };
}

/** Tells whether a project is the account's, and within the reach of the member or of the share. */
export const isReadable = (
  { account, standing, share }: Caller,
  { id, accountId }: { readonly id: string; readonly accountId: string },
): boolean =>
  accountId === account.id &&
  (standing?.projects?.includes(id) ?? true) &&
  (share === null || share.projectId === id);

/** Tells whether the caller only sees events for which the filters of a share hold. */
export const isNarrowed = ({ share }: Caller): boolean =>
  share !== null && share.filters.length > 0;

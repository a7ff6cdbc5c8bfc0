import type { Tier } from "./plan";
import type { Share } from "./share";

/** Who sent a request, and with what. */
export interface Caller {
  readonly kind: "key" | "cookie" | "agent" | "share";
  /** The id of the agent session or the share, else of the account. */
  readonly id: string;
  readonly account: CallerAccount;
  /** The scopes of an agent session; empty for API key and cookie, which may do everything. */
  readonly scopes: ReadonlySet<string>;
  readonly isDemo: boolean;
  /** Tells whether a client signed in by OAuth for tools alone: its token opens `/mcp` and nothing else. */
  readonly isForMcpOnly: boolean;
  /** The share whose token was sent; null for every other caller. */
  readonly share: Share | null;
  /** The hash under which a browser session is stored, or that of a share which a cookie opens. */
  readonly sessionHash: string | null;
  /** A cookie that was renewed, to go out with the answer. */
  readonly setCookie: string | null;
}

export interface CallerAccount {
  readonly id: string;
  readonly email: string;
  /** The tier whose rights the account has. */
  readonly tier: Tier;
  readonly complimentary: boolean;
  readonly isAdmin: boolean;
  readonly createdAtMs: number;
  readonly rateLimitRpm: number;
}

/** Tells whether the caller only sees events for which the filters of a share hold. */
export const isNarrowed = ({ share }: Caller): boolean =>
  share !== null && share.filters.length > 0;

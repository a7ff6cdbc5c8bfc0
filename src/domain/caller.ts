import type { Tier } from "./plan";
import type { Share } from "./share";

/** Who sent a request, and with what. */
export interface Caller {
  readonly kind: "key" | "cookie" | "agent" | "share";
  /** Of the agent session or the share, or of the account where there is none. */
  readonly id: string;
  readonly account: CallerAccount;
  /** What an agent session may do; empty for API key and cookie, which may do everything. */
  readonly scopes: ReadonlySet<string>;
  readonly isDemo: boolean;
  /** Of a client that signed in by OAuth and asked for tools alone: its token opens `/mcp` and nothing else. */
  readonly isForMcpOnly: boolean;
  /** What a share shows; null for everybody who is none. */
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

/** Whether somebody may only see what the filters of a share leave. */
export const isNarrowed = ({ share }: Caller): boolean =>
  share !== null && share.filters.length > 0;

import type { ReplayLimits } from "./questions";

export interface ReplayStoreOptions {
  readonly dataDir: string;
  readonly durability: "full" | "normal";
  /** Threads have clocks of their own. */
  readonly clockOffsetMs: number;
  /** The secret of the tokens. */
  readonly secret: string;
  readonly limits: ReplayLimits;
  /** While the clock is not trusted, nothing ends or goes because of its age. */
  isClockTrusted(): boolean;
  /** A thread cannot be brought back: requests are refused, and the process should end. */
  onFatal(why: string): void;
}

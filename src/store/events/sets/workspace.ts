import type { Segment } from "../segment/segment";
import type { Tuning } from "../tuning";
import type { Budget } from "./budget";

/** The parts of a Context that tables of sessions need. */
export interface Workspace {
  readonly tuning: Tuning;
  readonly budget: Budget;
  /** The own hosts of the project that the read is about (store/port.ts, ReadRequest). */
  readonly ownHosts: readonly string[];
  /** A secret seed for hash tables whose texts come from outside. */
  readonly secret: number;
  /** Throws when the read has been cancelled. */
  readonly check: () => void;
  readonly open: (id: number) => Segment;
}

/**
 * The workspace of the read that uses a cached table now. Each read of a share opens its own segments, with the events
 * that pass its filters at that moment. With the workspace of the read that built it, a table would see the segments of
 * that read.
 */
export class CurrentWorkspace implements Workspace {
  constructor(public current: Workspace) {}

  get tuning(): Tuning {
    return this.current.tuning;
  }
  get budget(): Budget {
    return this.current.budget;
  }
  get ownHosts(): readonly string[] {
    return this.current.ownHosts;
  }
  get secret(): number {
    return this.current.secret;
  }
  get check(): () => void {
    return this.current.check;
  }
  get open(): (id: number) => Segment {
    return this.current.open;
  }
}

import type { Segment } from "../segment/segment";
import type { Tuning } from "../tuning";
import type { Budget } from "./budget";

/** The parts of a connection that tables of sessions need: they know no more of its Context. */
export interface Workspace {
  readonly tuning: Tuning;
  readonly budget: Budget;
  /** The own hosts of the project that the read is about (store/port.ts, ReadRequest). */
  readonly ownHosts: readonly string[];
  /** Nobody outside knows it: for tables that are filled with what anybody may send. */
  readonly secret: number;
  /** Throws when the read has been cancelled. */
  readonly check: () => void;
  readonly open: (id: number) => Segment;
}

/**
 * The workspace of the read that uses a kept table now. Each read of a share opens segments of its own, with the events
 * that its filters let through at that moment: with the workspace of the read that made it, a table would look at
 * others.
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

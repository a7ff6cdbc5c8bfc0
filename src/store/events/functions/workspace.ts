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

import type { Asked, Found, PartName } from "./parts";

/** What a part is asked of. */
export interface PartRequest<Name extends PartName> {
  readonly name: Name;
  readonly asked: Asked<Name>;
  readonly projectId: string;
  /** Of the project's data, as the read sees them: whoever sees others cannot help. */
  readonly version: number;
  /** Of the read (store/port.ts, ReadRequest). */
  readonly ownHosts: readonly string[];
}

/** The threads that help one reader. They are asked for parts of what a read asks, while it answers another itself. */
export interface Helpers {
  /** None while the machine is busy; the same all through a read. */
  readonly count: number;
  /** Groupings that had too many groups to be told: they are not counted in parts again. */
  readonly declined: Set<string>;
  /**
   * Null when it cannot be told by this one, whatever the reason: the caller finds it itself then. `helper` is below
   * `count`; the same one is asked for the same part, as it keeps columns.
   */
  ask<Name extends PartName>(
    helper: number,
    request: PartRequest<Name>,
  ): Promise<Found<Name> | null>;
  /** After a read: what is still being answered for it is of no use. */
  endRead(): void;
}

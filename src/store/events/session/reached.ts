/** The sessions that reached a goal, and its events where a metric asks for them. */
export interface Reached {
  /** A 1 for each session that reached the goal. */
  readonly marks: Uint8Array;
  readonly events: GoalEvents | null;
}

/** The events of a goal that are in sessions, in order of sessions. */
export interface GoalEvents {
  /** The events of a session begin here, and end where those of the next one begin. */
  readonly starts: Uint32Array;
  readonly users: Uint32Array;
  /** The number in the goal's property, or NaN; null if the goal has no value. */
  readonly numbers: Float64Array | null;
  readonly usersMax: number;
}

/** The sessions that reached a goal, and the goal's events if a metric needs them. */
export interface Reached {
  /** A 1 for each session that reached the goal. */
  readonly marks: Uint8Array;
  readonly events: GoalEvents | null;
}

/** The events of a goal that have a session, in order of sessions. */
export interface GoalEvents {
  /** By session, the index of its first event; its last one precedes the first one of the next session. */
  readonly starts: Uint32Array;
  readonly users: Uint32Array;
  /** The number in the goal's property, or NaN; null if the goal has no value. */
  readonly numbers: Float64Array | null;
  readonly usersMax: number;
}

/** The events of a goal that are in sessions, in order of the events' ids. */
export interface GoalEvents {
  readonly sessions: Uint32Array;
  readonly users: Uint32Array;
  /** The number in the goal's property; NaN for an event without one. */
  readonly values: Float64Array;
  readonly hasValue: boolean;
  readonly usersMax: number;
  readonly sessionsMax: number;
}

/** The sessions that reached a goal, and its events where a metric asks for them. */
export interface Reached {
  /** A 1 for each session that reached the goal. */
  readonly marks: Uint8Array;
  readonly events: GoalEvents | null;
}

/** The events of a goal that are in sessions. */
export interface GoalEvents {
  /** The session and the user of each event, in any order. */
  readonly sessions: Uint32Array;
  readonly users: Uint32Array;
  /** Null where the goal has no value. */
  readonly numbers: GoalNumbers | null;
  readonly usersMax: number;
  readonly sessionsMax: number;
}
/** The session and the number of each of these events that has a number in the goal's property, in order of ids. */
export interface GoalNumbers {
  readonly sessions: Uint32Array;
  readonly values: Float64Array;
}

/** The sessions that reached a goal, and its events where a metric asks for them. */
export interface Reached {
  /** A 1 for each session that reached the goal. */
  readonly marks: Uint8Array;
  readonly events: GoalEvents | null;
}

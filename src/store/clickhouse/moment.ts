/** What was acknowledged at one time: a read keeps it to its end, and all of its statements are bound by it. */
export interface Moment {
  /** By public id. */
  readonly projects: ReadonlyMap<string, ProjectAt>;
  readonly lastTicket: number;
  readonly lastCommit: number;
  /** Numbers of the projects in which somebody was ever linked. */
  readonly linked: ReadonlySet<number>;
  /** The latest commit that changed what reads of a project see. */
  readonly versions: ReadonlyMap<string, number>;
}

export interface ProjectAt {
  /** 0 has nothing. */
  readonly number: number;
  readonly retainedFromMs: number;
}

/** What was acknowledged at one time. A read keeps its moment to its end, and all its statements are bound by it. */
export interface Moment {
  /** The projects by their public ids. */
  readonly projects: ReadonlyMap<string, ProjectAt>;
  readonly lastTicket: number;
  readonly lastCommit: number;
  /** The numbers of the projects in which a user was ever linked. */
  readonly linked: ReadonlySet<number>;
  /** For each project the latest commit that changed what its reads see. */
  readonly versions: ReadonlyMap<string, number>;
}

export interface ProjectAt {
  /** A project with the number 0 has nothing stored. */
  readonly number: number;
  readonly retainedFromMs: number;
}

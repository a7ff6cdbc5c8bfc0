import type { Bound } from "./bound";
import type { OpenRead } from "./open-read";

/** Selects the senders of a project, each with the user to whom its events belong. */
export function linksSql(read: OpenRead, bound: Bound, projectId: string): string {
  return `(select sender, argMax(owner, commit) as owner from ${read.database}.user_link
    where project = ${bound.integer(read.project(projectId).number)}
      and commit <= ${bound.integer(read.moment.lastCommit)}
    group by sender)`;
}

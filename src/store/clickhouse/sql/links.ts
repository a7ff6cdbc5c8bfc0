import type { Bound } from "./bound";
import type { OpenRead } from "./open-read";

/** Senders of a project, and whose events theirs are. */
export function linksSql(read: OpenRead, bound: Bound, projectId: string): string {
  return `(select sender, argMax(owner, commit) as owner from ${read.database}.user_link
    where project = ${bound.integer(read.project(projectId).number)}
      and commit <= ${bound.integer(read.moment.lastCommit)}
    group by sender)`;
}

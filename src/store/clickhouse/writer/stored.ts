import type { ClickHouse } from "../client";
import { Bound } from "../sql/bound";
import type { Commit } from "./commit";
import { Links } from "./links";
import type { State } from "./state";

/* The writer's reads of the tables before a commit, for facts that its state does not have yet. */

export async function loadLinks(
  clickhouse: ClickHouse,
  { state }: Commit,
  project: number,
): Promise<void> {
  if (state.links.has(project) || !state.moment.linked.has(project)) return;
  const rows = await clickhouse.rows<{
    name: string;
    generation: number;
    above: string;
    above_generation: number;
    linked: number;
  }>(
    `select name, generation, argMax(parent, commit) as above, argMax(parent_generation, commit) as above_generation,
      argMax(is_linked, commit) as linked
    from ${clickhouse.database}.user_link where project = {project:UInt64} group by name, generation`,
    { project },
  );
  const links = new Links();
  for (const row of rows) {
    const sender = links.restore(row.name, row.generation);
    if (row.linked === 1) sender.moveTo(links.restore(row.above, row.above_generation));
  }
  state.links.set(project, links);
}

export async function loadReceived(
  clickhouse: ClickHouse,
  state: State,
  commit: Commit,
): Promise<void> {
  const unknown = commit.receivedDates().filter(({ key }) => !state.received.has(key));
  if (unknown.length === 0) return;
  const bound = new Bound();
  const rows = await clickhouse.rows<{ project: number; date: string; events: number }>(
    `select project, date, argMax(event_count, commit) as events from ${clickhouse.database}.received_day
    where project in ${bound.integers(unknown.map(({ project }) => project))}
      and date in ${bound.texts(unknown.map(({ date }) => date))} group by project, date`,
    bound.values,
  );
  for (const { key } of unknown) state.received.set(key, 0);
  for (const { project, date, events } of rows) state.received.set(`${project} ${date}`, events);
}

export async function edgesOf(
  clickhouse: ClickHouse,
  project: number,
  membership: string,
  user: string,
): Promise<string[]> {
  const bound = new Bound();
  const rows = await clickhouse.rows<{ other: string }>(
    `select other from ${clickhouse.database}.identity_edge as edge
    where project = ${bound.integer(project)} and membership = ${bound.text(membership)}
      and edge.user = ${bound.text(user)}
    group by other having argMax(is_there, commit) = 1`,
    bound.values,
  );
  return rows.map(({ other }) => other);
}

import { clock } from "../../../lib/clock";
import type { ClickHouse } from "../client";
import type { Moment } from "../moment";
import { removeRows } from "../remove";

/** All tables whose rows have the number of a project. */
const ofProject = [
  ...(["event", "user_link", "profile", "identity_edge", "email"] as const),
  ...(["received_day", "automated_day"] as const),
];

/** Deletes the rows of numbers that no project has any more, and the events that retention hides. */
export async function removeUnseen(clickhouse: ClickHouse, moment: Moment): Promise<void> {
  const { database } = clickhouse;
  const rows = await clickhouse.rows<{ number: number }>(
    `select distinct number from ${database}.project where number != 0`,
  );
  const current = new Set([...moment.projects.values()].map(({ number }) => number));
  const gone = rows.map(({ number }) => number).filter((number) => !current.has(number));
  if (gone.length > 0) {
    for (const table of ofProject)
      await removeRows(clickhouse, table, (bound) => `project in ${bound.integers(gone)}`);
    await removeRows(clickhouse, "project", (bound) => `number in ${bound.integers(gone)}`);
  }
  // What lies ahead of the clock was set by one that was wrong, and may be set back.
  const nowMs = clock.nowMs();
  const hiding = [...moment.projects.values()].filter(
    (one) => one.number !== 0 && one.retainedFromMs > 0 && one.retainedFromMs <= nowMs,
  );
  if (hiding.length === 0) return;
  await removeRows(clickhouse, "event", (bound) => {
    const numbers = bound.integers(hiding.map(({ number }) => number));
    const from = bound.integers(hiding.map(({ retainedFromMs }) => retainedFromMs));
    return `has(${numbers}, toInt64(project))
      and toUnixTimestamp64Milli(time) < ${from}[indexOf(${numbers}, toInt64(project))]`;
  });
}

export async function removeMembership(
  clickhouse: ClickHouse,
  project: number,
  membership: string,
): Promise<void> {
  for (const table of ["identity_edge", "email"] as const) {
    await removeRows(
      clickhouse,
      table,
      (bound) => `project = ${bound.integer(project)} and membership = ${bound.text(membership)}`,
    );
  }
}

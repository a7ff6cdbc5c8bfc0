import { randomBytes } from "node:crypto";
import { clock } from "../../../lib/clock";
import type { MovedKey } from "../../shared/moved";
import { ticketOf, ticketTimeMs } from "../../shared/ticket";
import type { ClickHouse } from "../client";
import type { Moment, ProjectAt } from "../moment";
import { everywhere, removeRows, settingsEverywhere } from "../remove";
import { RowBinary } from "../row-binary";
import { committedTables } from "../tables";
import type { Links } from "./links";
import { idempotencyMs, RecentKeys } from "./recent-keys";

const textOfNumber = (value: number): string => String(Math.trunc(value));

/** What the writer holds in memory. It is read from the tables again after a commit that failed. */
export class State {
  readonly links = new Map<number, Links>();
  /** The counts of recent days by project and date, to which the next commit adds. */
  readonly received = new Map<string, number>();

  constructor(
    public moment: Moment,
    public lastNumber: number,
    readonly keys: RecentKeys,
    /** The highest commit and ticket that were ever given out, also to rows that were removed. */
    public usedCommit: number,
    public usedTicket: number,
  ) {}

  project(name: string): ProjectAt | undefined {
    const known = this.moment.projects.get(name);
    return known === undefined || known.number === 0 ? undefined : known;
  }
}

/** The latest commit that was finished, and the highest ticket of its events and of those before. */
interface Marker {
  readonly commits: number;
  readonly tickets: number;
}

async function lastMarker(clickhouse: ClickHouse): Promise<Marker> {
  const [marker] = await clickhouse.rows<Marker>(
    `select max(commit) as commits, max(last_ticket) as tickets from ${clickhouse.database}.committed`,
  );
  return marker;
}

/** Returns what is stored now. A server may be writing meanwhile. */
export const currentMoment = async (clickhouse: ClickHouse): Promise<Moment> =>
  momentAt(clickhouse, await lastMarker(clickhouse));

async function momentAt(clickhouse: ClickHouse, { commits, tickets }: Marker): Promise<Moment> {
  const { database } = clickhouse;
  const bound = `commit <= ${textOfNumber(commits)}`;
  const [projects, versions, linked] = await Promise.all([
    clickhouse.rows<{ name: string; number: number; retained: number }>(
      `select name, argMax(number, commit) as number, argMax(retained_from_ms, commit) as retained
      from ${database}.project where ${bound} group by name`,
    ),
    clickhouse.rows<{ name: string; version: number }>(
      `select name, max(commit) as version from ${database}.committed where name != '' group by name`,
    ),
    clickhouse.rows<{ project: number }>(
      `select distinct project from ${database}.user_link where ${bound}`,
    ),
  ]);
  return {
    projects: new Map(
      projects.map(({ name, number, retained }) => [name, { number, retainedFromMs: retained }]),
    ),
    lastTicket: tickets,
    lastCommit: commits,
    linked: new Set(linked.map(({ project }) => project)),
    versions: new Map(versions.map(({ name, version }) => [name, version])),
  };
}

/**
 * Removes the rows of a commit that was never finished, and reads the state after the last one that was. Only the
 * writer calls it, when none of its own inserts can be running.
 */
export async function recallState(clickhouse: ClickHouse): Promise<State> {
  const { database } = clickhouse;
  const marker = await lastMarker(clickhouse);
  const used = await removeUnfinished(clickhouse, marker);
  const [moment, keys] = await Promise.all([
    momentAt(clickhouse, marker),
    recallKeys(clickhouse, marker.tickets),
  ]);
  const [{ last }] = await clickhouse.rows<{ last: number }>(
    `select max(number) as last from ${database}.project`,
  );
  return new State(moment, last, keys, used.commits, used.tickets);
}

/**
 * Returns the highest commit and ticket that any row had. Neither is given out again, as a server of a cluster that is
 * away now executes the deletion only when it is back.
 */
async function removeUnfinished(
  clickhouse: ClickHouse,
  { commits, tickets }: Marker,
): Promise<Marker> {
  const removeBeyond = async (
    table: string,
    numbered: "ticket" | "commit",
    end: number,
  ): Promise<number> => {
    const [{ last }] = await clickhouse.rows<{ last: number }>(
      `select max(${numbered}) as last from ${everywhere(clickhouse, table)}
      where ${numbered} > ${textOfNumber(end)}`,
      {},
      { settings: settingsEverywhere },
    );
    if (last <= end) return end;
    const isBeyond = `${numbered} > ${textOfNumber(end)} and ${numbered} <= ${textOfNumber(last)}`;
    await removeRows(clickhouse, table, () => isBeyond);
    return last;
  };
  const lastTicket = await removeBeyond("event", "ticket", tickets);
  let lastCommit = commits;
  for (const table of committedTables) {
    lastCommit = Math.max(lastCommit, await removeBeyond(table, "commit", commits));
  }
  return { commits: lastCommit, tickets: lastTicket };
}

async function recallKeys(clickhouse: ClickHouse, lastTicket: number): Promise<RecentKeys> {
  const keys = new RecentKeys(await hashSeed(clickhouse));
  for (const { key, acceptedAtMs } of await keysUpTo(clickhouse, lastTicket)) {
    keys.restore(key, acceptedAtMs);
  }
  return keys;
}

/**
 * Returns the idempotency keys up to a ticket, the latest last: those of 48 hours before it, so that no clock that is
 * ahead lets them go.
 */
export async function keysUpTo(clickhouse: ClickHouse, lastTicket: number): Promise<MovedKey[]> {
  const { database } = clickhouse;
  const sinceMs = Math.min(clock.nowMs(), ticketTimeMs(lastTicket)) - idempotencyMs;
  const moved = await clickhouse.rows<{ key: string; atMs: number }>(
    `select toString(key) as key, accepted_at as atMs from ${database}.moved_key
    where accepted_at > ${textOfNumber(sinceMs)}`,
  );
  const rows = await clickhouse.rows<{ key: string; ticket: number }>(
    `select toString(event_key) as key, ticket from ${database}.event
    where ticket > ${textOfNumber(Math.max(0, ticketOf(sinceMs, 0)))} and ticket <= ${textOfNumber(lastTicket)}
      and event_key != 0 order by ticket`,
  );
  return [
    ...moved.map(({ key, atMs }) => ({ key: BigInt(key), acceptedAtMs: atMs })),
    ...rows.map(({ key, ticket }) => ({
      key: BigInt(key),
      acceptedAtMs: ticketTimeMs(ticket),
    })),
  ];
}

/** Outsiders cannot make event ids that collide, as they do not know the seed of the hash. */
export async function hashSeed(clickhouse: ClickHouse): Promise<bigint> {
  const { database } = clickhouse;
  const find = () =>
    clickhouse.rows<{ value: string }>(
      `select value from ${database}.setting where name = 'hash_seed'`,
    );
  const [known] = await find();
  if (known !== undefined) return BigInt(known.value);
  const made = randomBytes(8).readBigUInt64LE();
  const rows = new RowBinary().text("hash_seed").text(String(made)).done();
  await clickhouse.insert(`${database}.setting`, rows);
  return made;
}

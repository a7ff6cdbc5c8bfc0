import { clock } from "../../../lib/clock";
import { rowLine } from "../../shared/event-line";
import type {
  MovedContent,
  MovedEvent,
  MovedEvents,
  MovedKey,
  MovedLink,
  MovedProject,
  MovedSender,
  MovedStore,
} from "../../shared/moved";
import { ticketTimeMs } from "../../shared/ticket";
import type { OpenSnapshot } from "../questions/open-snapshot";
import { questionsOf } from "../questions/questions";
import { openSnapshots, type Snapshots } from "../read/snapshot";
import type { Segment } from "../segment/segment";
import { idempotencyMs } from "../writer/keys/accepted-keys";
import { unpackBlock } from "../writer/keys/key-list";
import { idOf, type StoredRun } from "../writer/keys/key-run";

const cacheBytes = 64 * 1024 * 1024;

const projects = `
  select id as number, name, retained_from_ms as retainedFromMs from project order by id`;
const settings = `
  select (select value from setting where name = 'hash_seed') as hashSeed,
    (select coalesce(max(data_version), 0) from project) as version`;
const lastTicket = `
  select coalesce(max(cast(value as integer)), 0) as ticket from setting where name = 'last_ticket'`;
/** Selects each number that an id has, or had before it was linked to another id again. */
const numbers = `
  select name, number from former_user where project_id = :project
  union all
  select name, number from user where project_id = :project
  order by name, number`;
const links = "select user, canonical from user_alias where project_id = :project";
const profiles = "select user, traits from profile where project_id = :project";
const edges = "select membership, user, other from identity_edge where project_id = :project";
const emails = "select membership, digest, user from email_digest where project_id = :project";
const received = `
  select date, event_count as events from received_day where project_id = :project`;
const automated = `
  select date, category, actor, sum(requests) as requests, sum(dropped_events) as droppedEvents,
    max(last_seen_at) as lastSeenAtMs
  from counted_automated_day where project_id = :project group by date, category, actor`;
const keyLog =
  "select accepted_at as acceptedAtMs, hashes from accepted_key where accepted_at > :since";
const keyRuns = `
  select id, first_at as firstAtMs, last_at as lastAtMs, key_count as keyCount,
    block_bits as blockBits, filter_bytes as filterBytes
  from key_run where state = 'live' and last_at > :since`;
const keyBlocks = "select id, records from key_block where id >= :from and id < :to";

/** Reads the events of a file for a move. A server may store events in it meanwhile. */
export class FileSource {
  private readonly snapshots: Snapshots;

  constructor(file: string) {
    this.snapshots = openSnapshots(file, cacheBytes, () => false);
  }

  store(): Promise<MovedStore> {
    return this.snapshots.within(async (snapshot) => {
      const found = snapshot.row<{ hashSeed: string; version: number }>(settings, {});
      return {
        projects: snapshot.rows<MovedProject>(projects, {}),
        lastTicket: lastTicketIn(snapshot),
        version: found?.version ?? 0,
        hashSeed: BigInt(found?.hashSeed ?? 0),
      };
    });
  }
  /** Runs some work in one snapshot. */
  within<Result>(
    project: MovedProject,
    work: (content: MovedContent) => Promise<Result>,
  ): Promise<Result> {
    return this.snapshots.within((snapshot) => work(contentOf(snapshot, project)));
  }
  /** Returns the idempotency keys of the 48 hours before the last commit: no clock that is ahead lets them go. */
  keys(): Promise<MovedKey[]> {
    return this.snapshots.within(async (snapshot) => {
      const lastMs = Math.min(clock.nowMs(), ticketTimeMs(lastTicketIn(snapshot)));
      return keysIn(snapshot, lastMs - idempotencyMs);
    });
  }
  close(): void {
    this.snapshots.close();
  }
}

function contentOf(snapshot: OpenSnapshot, { number, name }: MovedProject): MovedContent {
  const of = { project: number };
  const senders = sendersOf(snapshot, of);
  const senderOf = (user: number): MovedSender => senders.get(user)!;
  const segments = snapshot.segmentsOf(name);
  return {
    lastTicket: lastTicketIn(snapshot),
    links: linksOf(snapshot, of, senders),
    profiles: snapshot
      .rows<{ user: number; traits: string }>(profiles, of)
      .map(({ user, traits }) => ({ sender: senderOf(user), traits })),
    edges: snapshot.rows(edges, of),
    emails: snapshot.rows(emails, of),
    received: snapshot.rows(received, of),
    automated: snapshot.rows(automated, of),
    events: segments.map((segment) => eventsOf(segment, senderOf)),
    questions: questionsOf(snapshot),
  };
}

const lastTicketIn = (snapshot: OpenSnapshot): number =>
  snapshot.row<{ ticket: number }>(lastTicket, {})?.ticket ?? 0;

/** The numbers of an id ascend. New events get the last one. */
function sendersOf(
  snapshot: OpenSnapshot,
  of: { readonly project: number },
): ReadonlyMap<number, MovedSender> {
  const senders = new Map<number, MovedSender>();
  let before: MovedSender = { name: "", generation: 0 };
  for (const { name, number } of snapshot.rows<{ name: string; number: number }>(numbers, of)) {
    before = { name, generation: before.name === name ? before.generation + 1 : 0 };
    senders.set(number, before);
  }
  return senders;
}

/**
 * Returns links, including those of users that were unlinked or had other numbers, as a name alone does not show them.
 */
function linksOf(
  snapshot: OpenSnapshot,
  of: { readonly project: number },
  senders: ReadonlyMap<number, MovedSender>,
): MovedLink[] {
  const rows = snapshot.rows<{ user: number; canonical: number }>(links, of);
  const above = new Map(rows.map(({ user, canonical }) => [user, canonical]));
  const generations = new Map<string, number>();
  for (const { name, generation } of senders.values()) generations.set(name, generation);
  return [...senders]
    .filter(([user, { name }]) => above.has(user) || generations.get(name) !== 0)
    .map(([user, sender]) => ({ ...sender, parent: senders.get(above.get(user) ?? 0) ?? null }));
}

function eventsOf(segment: Segment, senderOf: (user: number) => MovedSender): MovedEvents {
  return {
    firstTimeMs: segment.firstTime,
    lastTimeMs: segment.lastTime,
    count: segment.eventCount,
    *read(): Iterable<MovedEvent> {
      const { users, visitOfRow, firstTime, times, tickets } = segment;
      const names = valuesOf(segment, "event.name");
      const countries = valuesOf(segment, "event.country");
      for (let row = 0; row < segment.eventCount; row++) {
        const visit = visitOfRow[row];
        const user = users[visit];
        yield {
          ticket: tickets[row],
          sender: user === 0 ? null : senderOf(user),
          line: rowLine(
            firstTime + times[row],
            names(row) ?? "",
            segment.sessionIdAt(visit),
            countries(row),
            segment.propertiesAt(row),
          ),
        };
      }
      segment.release();
    },
  };
}

function valuesOf(segment: Segment, column: string): (row: number) => string | null {
  const codes = segment.codes(column);
  const values = segment.dictionary(column) as readonly string[];
  return (row) => (codes === null || codes[row] === 0 ? null : values[codes[row] - 1]);
}

function keysIn(snapshot: OpenSnapshot, since: number): MovedKey[] {
  const found = new Map<bigint, number>();
  const add = (high: number, low: number, acceptedAtMs: number): void => {
    const key = (BigInt(high) << 32n) | BigInt(low);
    if (acceptedAtMs > since) found.set(key, Math.max(acceptedAtMs, found.get(key) ?? 0));
  };
  for (const run of snapshot.rows<StoredRun>(keyRuns, { since })) {
    const from = idOf(run.id, 0);
    const blocks = { from, to: idOf(run.id + 1, 0) };
    for (const { id, records } of snapshot.rows<{ id: number; records: Uint8Array }>(
      keyBlocks,
      blocks,
    )) {
      const { high, low, atMs, length } = unpackBlock(records, id - from, run);
      for (let i = 0; i < length; i++) add(high[i], low[i], atMs[i]);
    }
  }
  const log = snapshot.rows<{ acceptedAtMs: number; hashes: Uint8Array }>(keyLog, { since });
  for (const { acceptedAtMs, hashes } of log) {
    const halves = new Uint32Array(Uint8Array.from(hashes).buffer);
    for (let i = 0; i < halves.length; i += 2) add(halves[i + 1], halves[i], acceptedAtMs);
  }
  return [...found].map(([key, acceptedAtMs]) => ({ key, acceptedAtMs }));
}

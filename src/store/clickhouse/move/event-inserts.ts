import { monthOf } from "../../../domain/month";
import { timeOfLine } from "../../shared/event-line";
import type { MovedEvent, MovedEvents } from "../../shared/moved";
import type { ClickHouse } from "../client";
import { RowBinary } from "../row-binary";
import { Bound } from "../sql/bound";
import { bytesOf } from "../text";
import { senderBytes } from "../writer/links";
import { noKey } from "../writer/recent-keys";
import { addEvent } from "../writer/rows";

const eventsPerInsert = 50_000;

/** Some events, which are in the table once `rows` were inserted. It is null when they are there already. */
interface EventInsert {
  readonly rows: RowBinary | null;
  readonly events: number;
}

/**
 * Yields inserts of the events that are not in the table yet, which their tickets tell, as an event never changes. Each
 * insert has events of one month, so that ClickHouse stores all of it or nothing.
 */
export async function* eventInserts(
  clickhouse: ClickHouse,
  project: number,
  groups: readonly MovedEvents[],
): AsyncIterable<EventInsert> {
  const isNew = !(await hasEvents(clickhouse, project));
  const gathered = new Map<string, { rows: RowBinary; events: number }>();
  for (const some of lookedUpTogether(groups)) {
    const known = isNew ? new Set<number>() : await ticketsOf(clickhouse, project, some);
    let found = 0;
    for (const { ticket, sender, line } of eventsOf(some)) {
      if (known.has(ticket)) {
        found++;
        continue;
      }
      const month = monthOf(timeOfLine(line));
      const own = gathered.get(month) ?? { rows: new RowBinary(), events: 0 };
      gathered.set(month, own);
      const bytes = sender === null ? bytesOf("") : senderBytes(sender.name, sender.generation);
      addEvent(own.rows, { project, ticket, sender: bytes, key: noKey, line });
      if (++own.events < eventsPerInsert) continue;
      gathered.delete(month);
      yield own;
    }
    yield { rows: null, events: found };
  }
  yield* gathered.values();
}

function* eventsOf(groups: readonly MovedEvents[]): Iterable<MovedEvent> {
  for (const group of groups) yield* group.read();
}

/** Events are grouped by time, as they are looked for by time; a group may be a single event. */
function* lookedUpTogether(groups: readonly MovedEvents[]): Iterable<MovedEvents[]> {
  let some: MovedEvents[] = [];
  let events = 0;
  for (const group of groups.toSorted((a, b) => a.firstTimeMs - b.firstTimeMs)) {
    some.push(group);
    events += group.count;
    if (events < eventsPerInsert) continue;
    yield some;
    some = [];
    events = 0;
  }
  if (some.length > 0) yield some;
}

async function hasEvents(clickhouse: ClickHouse, project: number): Promise<boolean> {
  const bound = new Bound();
  const found = await clickhouse.rows(
    `select 1 from ${clickhouse.database}.event where project = ${bound.integer(project)} limit 1`,
    bound.values,
  );
  return found.length > 0;
}

async function ticketsOf(
  clickhouse: ClickHouse,
  project: number,
  groups: readonly MovedEvents[],
): Promise<Set<number>> {
  const firstTimeMs = Math.min(...groups.map((group) => group.firstTimeMs));
  const lastTimeMs = Math.max(...groups.map((group) => group.lastTimeMs));
  const bound = new Bound();
  const found = await clickhouse.rows<{ ticket: number }>(
    `select ticket from ${clickhouse.database}.event where project = ${bound.integer(project)}
      and time >= ${bound.time(firstTimeMs)} and time <= ${bound.time(lastTimeMs)}`,
    bound.values,
  );
  return new Set(found.map(({ ticket }) => ticket));
}

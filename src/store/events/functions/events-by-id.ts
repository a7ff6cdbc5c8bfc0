import type { TimeWindow } from "../../../domain/time-window";
import { free } from "../../../lib/free";
import type { ExportedEvent } from "../../exports";
import { ulid } from "../../shared/ticket";
import type { Context } from "../filter/context";
import type { Identity } from "../scan/identity";
import { allTickets } from "../segment/all-tickets";
import type { Segment } from "../segment/segment";
import { rowsByTicket } from "../segment/time-order";

/** Events of one piece: with the longest properties they are some tens of megabytes. */
const eventsPerPiece = 2_048;

/** A segment and the range of its tickets. */
interface Bounded {
  readonly segment: Segment;
  readonly first: number;
  readonly last: number;
}

/**
 * Yields the events of a window after a ticket, in the order of tickets. Segments are read in the order of their first
 * tickets, and only those are open whose tickets overlap: few, as events mostly come in the order of their times. Of
 * an open segment twelve bytes an event are held; its columns are the cache's.
 */
export function* eventsById(
  context: Context,
  segments: readonly Segment[],
  window: TimeWindow,
  afterTicket: number,
): Generator<readonly ExportedEvent[]> {
  if (segments.length === 0) return;
  const identity = context.identity(segments[0].projectId);
  const waiting = segments
    .map((segment) => boundedOf(segment, context))
    .filter(({ last }) => last > afterTicket)
    .sort((a, b) => b.first - a.first);
  let open: OpenSegment[] = [];
  let found: ExportedEvent[] = [];
  const nextWaiting = (): number => waiting.at(-1)?.first ?? Number.POSITIVE_INFINITY;
  while (waiting.length > 0 || open.length > 0) {
    const [next, beyond = Number.POSITIVE_INFINITY] = open
      .map(({ ticket }) => ticket)
      .sort((a, b) => a - b);
    if (next === undefined || nextWaiting() < next) {
      const { segment } = waiting.pop()!;
      open.push(new OpenSegment(segment, identity, afterTicket));
      continue;
    }
    const current = open.find(({ ticket }) => ticket === next)!;
    current.take(found, Math.min(beyond, nextWaiting()), window);
    if (current.isOver) {
      current.close();
      open = open.filter((one) => one !== current);
    }
    if (found.length < eventsPerPiece) continue;
    const bytes = bytesOf(found);
    yield found;
    found = [];
    for (const one of open) one.rest();
    // The engine would let as much garbage gather as there is in use, several times over.
    context.budget.addGarbage(bytes);
    context.check();
    context.budget.collectIfDue();
  }
  if (found.length > 0) yield found;
}

/** An event takes about this much besides its properties. */
const bytesBesideProperties = 256;

const bytesOf = (events: readonly ExportedEvent[]): number =>
  events.reduce(
    (sum, { properties }) => sum + bytesBesideProperties + (properties?.length ?? 0),
    0,
  );

function boundedOf(segment: Segment, context: Context): Bounded {
  context.check();
  const tickets = allTickets(segment);
  let first = Number.POSITIVE_INFINITY;
  let last = 0;
  for (let row = 0; row < tickets.length; row++) {
    first = Math.min(first, tickets[row]);
    last = Math.max(last, tickets[row]);
  }
  free(tickets);
  segment.release();
  return { segment, first, last };
}

/** A segment whose events are taken one by one. */
class OpenSegment {
  private readonly tickets: Float64Array;
  private readonly rows: Uint32Array;
  private at = 0;
  private values: Values | null = null;

  constructor(
    private readonly segment: Segment,
    private readonly identity: Identity,
    afterTicket: number,
  ) {
    this.tickets = allTickets(segment);
    this.rows = rowsByTicket(this.tickets);
    while (!this.isOver && this.ticket <= afterTicket) this.at++;
  }

  get ticket(): number {
    return this.tickets[this.rows[this.at]];
  }
  get isOver(): boolean {
    return this.at === this.rows.length;
  }

  /** Adds the events up to a ticket, which is another segment's, as far as a piece has room for them. */
  take(found: ExportedEvent[], before: number, { fromMs, toMs }: TimeWindow): void {
    this.values ??= new Values(this.segment, this.identity);
    for (; !this.isOver && found.length < eventsPerPiece && this.ticket < before; this.at++) {
      const row = this.rows[this.at];
      const timeMs = this.segment.timeAt(row);
      if (timeMs >= fromMs && timeMs < toMs) {
        found.push(this.values.eventAt(row, timeMs, this.ticket));
      }
    }
  }
  /** Holds no columns until the next piece: the cache decides which of them stay. */
  rest(): void {
    this.values = null;
  }
  close(): void {
    this.rest();
    this.segment.release();
    free(this.tickets);
    free(this.rows);
  }
}

/** The columns of a segment by row. */
class Values {
  private readonly name: (row: number) => string | null;
  private readonly country: (row: number) => string | null;
  private readonly visits: Uint32Array;

  constructor(
    private readonly segment: Segment,
    private readonly identity: Identity,
  ) {
    this.name = valuesOf(segment, "event.name");
    this.country = valuesOf(segment, "event.country");
    this.visits = segment.visitOfRow;
  }

  eventAt(row: number, timeMs: number, ticket: number): ExportedEvent {
    const { segment, identity } = this;
    const visit = this.visits[row];
    return {
      id: ulid(segment.projectId, ticket),
      timeMs,
      name: this.name(row) ?? "",
      userId: identity.nameOf(identity.canonical(segment.users[visit])),
      sessionId: segment.sessionIdAt(visit),
      country: this.country(row),
      properties: segment.propertiesAt(row),
    };
  }
}

function valuesOf(segment: Segment, column: string): (row: number) => string | null {
  const codes = segment.codes(column);
  const values = segment.dictionary(column) as readonly string[];
  return (row) => (codes === null || codes[row] === 0 ? null : values[codes[row] - 1]);
}

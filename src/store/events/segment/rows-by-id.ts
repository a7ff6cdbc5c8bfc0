import { assert } from "../../../lib/assert";
import { free } from "../../../lib/free";
import { fewTickets } from "./few-tickets";
import type { Segment } from "./segment";
import { addUpTimes, ticketsOf } from "./ticket-columns";
import { rowsByTicket } from "./time-order";

/**
 * Returns some rows that have a property, in order of the ids of their events. What else is read for it is not kept:
 * eighteen bytes for each event of the segment would displace what other reads need, and the caller keeps the few rows
 * it asked for.
 */
export function rowsById(
  segment: Segment,
  column: string,
  rows: Uint32Array,
): { readonly rows: Uint32Array; readonly tickets: Float64Array } {
  if (rows.length === 0) return { rows, tickets: new Float64Array(0) };
  const ofRows = fewTickets(segment, column, rows) ?? ticketsAmong(allTickets(segment), rows);
  const order = rowsByTicket(ofRows);
  const tickets = new Float64Array(rows.length);
  for (let i = 0; i < rows.length; i++) tickets[i] = ofRows[order[i]];
  return { rows: order.map((at) => rows[at]), tickets };
}

function ticketsAmong(all: Float64Array, rows: Uint32Array): Float64Array {
  const ofRows = new Float64Array(rows.length);
  for (let i = 0; i < rows.length; i++) ofRows[i] = all[rows[i]];
  free(all);
  return ofRows;
}

/** The tickets of all rows. They are the caller's own, and are not kept. */
export function allTickets(segment: Segment): Float64Array {
  const steps = segment.integersOnce("event.ticket");
  const counters = segment.integersOnce("event.counter");
  assert(steps !== null && counters !== null, "every event has an id");
  const starts = segment.integers("visit.start");
  const times = addUpTimes(segment.ownWords("event.time"), segment.firstRows, starts);
  const high = segment.integersOnce("event.ticket_high");
  const tickets = ticketsOf(segment.firstTime, times, steps, high, counters);
  free(times);
  return tickets;
}

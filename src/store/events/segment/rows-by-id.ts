import { assert } from "../../../lib/assert";
import { free } from "../../../lib/free";
import type { Segment } from "./segment";
import { ticketsOf, timesOf } from "./ticket-columns";
import { rowsByTicket } from "./time-order";

/**
 * Some rows in order of the ids of their events. What else is read for it is not kept: eighteen bytes for each event
 * of the segment would displace what other reads need, and who asks keeps the few that it asked for.
 */
export function rowsById(
  segment: Segment,
  rows: Uint32Array,
): { readonly rows: Uint32Array; readonly tickets: Float64Array } {
  if (rows.length === 0) return { rows, tickets: new Float64Array(0) };
  const all = ticketsIn(segment);
  const ofRows = new Float64Array(rows.length);
  for (let i = 0; i < rows.length; i++) ofRows[i] = all[rows[i]];
  free(all);
  const order = rowsByTicket(ofRows);
  const tickets = new Float64Array(rows.length);
  for (let i = 0; i < rows.length; i++) tickets[i] = ofRows[order[i]];
  return { rows: order.map((at) => rows[at]), tickets };
}

/** The caller's own. */
function ticketsIn(segment: Segment): Float64Array {
  if (segment.whole !== segment) return segment.ofRows(ticketsIn(segment.whole));
  const gaps = segment.integersOnce("event.time");
  const steps = segment.integersOnce("event.ticket");
  const counters = segment.integersOnce("event.counter");
  assert(gaps !== null && steps !== null && counters !== null, "every event has a time and an id");
  const times = timesOf(gaps, segment.firstRows, segment.integers("visit.start"));
  const high = segment.integersOnce("event.ticket_high");
  const tickets = ticketsOf(segment.firstTime, times, steps, high, counters);
  free(times);
  return tickets;
}

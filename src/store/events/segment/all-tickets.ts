import { assert } from "../../../lib/assert";
import { free } from "../../../lib/free";
import type { Segment } from "./segment";
import { addUpTimes, ticketsOf } from "./ticket-columns";

/**
 * Returns the tickets of all rows. The cache does not keep them, because eighteen bytes for each event would displace
 * the columns that other reads need.
 */
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

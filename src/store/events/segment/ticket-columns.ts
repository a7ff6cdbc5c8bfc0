/*
 * Tickets in order of time.
 * Decision: a segment stores the steps between tickets in order of event time.
 * Because: nearly every step is +1; 4 bytes per event less.
 * Cost: showing ids sorts a segment's rows once (2 ms per 100,000).
 * Revisit: if events must be found by their ids.
 */

import { free } from "../../../lib/free";
import { counterSpan, ticketCounter, ticketOf, ticketTimeMs } from "../../shared/ticket";
import type { Integers } from "./codec";
import type { BuiltColumn } from "./column";
import { rowsByTime } from "./time-order";

/**
 * Tickets of a segment, told in order of time, which is nearly the order of tickets.
 *
 * event.ticket is 0 for a ticket that follows the one before. For any other it is 1 + how much later its time is after
 * the event's than that of the one before (the lowest 32 bits, the sign being the lowest; event.ticket_high has the
 * rest, and is only there after a clock jumped), and event.counter is its counter.
 */
export function ticketColumns(
  firstTime: number,
  times: Uint32Array,
  tickets: Float64Array,
): Map<string, BuiltColumn> {
  const count = times.length;
  const steps = new Uint32Array(count);
  const high = new Uint32Array(count);
  const counters = new Uint32Array(count);
  const order = rowsByTime(times);
  let isHigh = false;
  let last = 0;
  let lastDelay = 0;
  for (let i = 0; i < count; i++) {
    const row = order[i];
    const ticket = tickets[row];
    const delay = ticketTimeMs(ticket) - firstTime - times[row];
    if (ticket !== last + 1) {
      const step = 1 + folded(delay - lastDelay);
      steps[i] = step % span;
      if (step >= span) {
        high[i] = Math.floor(step / span);
        isHigh = true;
      }
      counters[i] = ticketCounter(ticket);
    }
    last = ticket;
    lastDelay = delay;
  }
  const columns = new Map<string, BuiltColumn>([
    ["event.ticket", { codes: steps }],
    ["event.counter", { codes: counters }],
  ]);
  if (isHigh) columns.set("event.ticket_high", { codes: high });
  return columns;
}

/**
 * Makes `times` what its name says, in ms after the segment's first event; at first it has the gaps between the events
 * of each visit. In place: a second array of as many words would be memory that nothing was in before, which takes as
 * long as the adding.
 */
export function addUpTimes(
  times: Uint32Array,
  firstRows: Uint32Array,
  starts: Integers,
): Uint32Array {
  for (let v = 0; v < starts.length; v++) {
    times[firstRows[v]] = starts[v];
    for (let i = firstRows[v] + 1; i < firstRows[v + 1]; i++) times[i] += times[i - 1];
  }
  return times;
}

/**
 * The ticket of each row. The first one, whose step is that of no other, stands before the loop: in it, words would be
 * compiled as numbers of any size, and the parts of tickets are not put together and taken apart again for the same
 * reason. Together that made it twice as long.
 */
export function ticketsOf(
  firstTime: number,
  times: Uint32Array,
  steps: Integers,
  high: Integers | null,
  counters: Integers,
): Float64Array {
  const tickets = new Float64Array(times.length);
  const order = rowsByTime(times);
  const firstStep = steps[0] + (high === null ? 0 : high[0] * span);
  let timeBefore = times[order[0]];
  const first =
    firstStep === 0 ? 1 : ticketOf(firstTime + timeBefore + unfolded(firstStep - 1), counters[0]);
  tickets[order[0]] = first;
  /** The time of the ticket in ms after the segment's first event. */
  let ticketTime = ticketTimeMs(first) - firstTime;
  let counter = ticketCounter(first);
  for (let i = 1; i < order.length; i++) {
    const row = order[i];
    const time = times[row];
    const step = steps[i];
    if (high !== null && high[i] !== 0) {
      ticketTime += time - timeBefore + unfolded(step + high[i] * span - 1);
      counter = counters[i];
    } else if (step !== 0) {
      ticketTime += time - timeBefore + unfoldedWord(step - 1);
      counter = counters[i];
    } else if (++counter === counterSpan) {
      counter = 0;
      ticketTime++;
    }
    timeBefore = time;
    tickets[row] = ticketOf(firstTime + ticketTime, counter);
  }
  free(order);
  return tickets;
}

const span = 2 ** 32;

/** 0, -1, 1, -2, 2, … as 0, 1, 2, 3, 4, …: small whatever the sign. */
const folded = (value: number): number => (value < 0 ? -2 * value - 1 : 2 * value);
const unfolded = (value: number): number => (value % 2 === 0 ? value / 2 : -(value + 1) / 2);
/** Unfolds a value below 2^32. */
const unfoldedWord = (value: number): number => (value >>> 1) ^ -(value & 1);

/*
 * Tickets in order of time.
 * Decision: a segment stores the steps between tickets in order of event time.
 * Because: nearly every step is +1, which saves 4 bytes for each event.
 * Cost: a read that shows ids sorts a segment's rows once (2 ms for 100,000 rows).
 * Revisit: if reads must find events by their ids.
 */

import { free } from "../../../lib/free";
import { counterSpan, ticketCounter, ticketOf, ticketTimeMs } from "../../shared/ticket";
import type { Integers } from "./codec";
import type { BuiltColumn } from "./column";
import { rowsByTime } from "./time-order";

/**
 * Encodes the tickets of a segment in order of time, which is nearly the order of tickets.
 *
 * event.ticket is 0 if a ticket is the one before plus 1. Otherwise it is 1 + the zigzag code of a step. A ticket's
 * delay is the time of the ticket minus the time of its event, and the step is its delay minus the delay of the ticket
 * before. event.ticket has the lowest 32 bits; event.ticket_high has the others, and exists only if a clock jumped.
 * event.counter has the counter of the ticket.
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
      const step = 1 + zigzag(delay - lastDelay);
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
 * Turns the gaps between the events of each visit into times in ms after the segment's first event. It does so in
 * place, as the memory of a second array would take as long as the sums.
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
 * Returns the ticket of each row. The loop handles only integers that fit a word, so that it is compiled to integer
 * arithmetic, which halved its time: the first ticket, whose step is large, is decoded before the loop, and the loop
 * keeps time and counter separate.
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
    firstStep === 0 ? 1 : ticketOf(firstTime + timeBefore + fromZigzag(firstStep - 1), counters[0]);
  tickets[order[0]] = first;
  /** The time of the ticket in ms after the segment's first event. */
  let ticketTime = ticketTimeMs(first) - firstTime;
  let counter = ticketCounter(first);
  for (let i = 1; i < order.length; i++) {
    const row = order[i];
    const time = times[row];
    const step = steps[i];
    if (high !== null && high[i] !== 0) {
      ticketTime += time - timeBefore + fromZigzag(step + high[i] * span - 1);
      counter = counters[i];
    } else if (step !== 0) {
      ticketTime += time - timeBefore + wordFromZigzag(step - 1);
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

/** Encodes 0, -1, 1, -2, 2, … as 0, 1, 2, 3, 4, …, so that the code of a small number is small. */
const zigzag = (value: number): number => (value < 0 ? -2 * value - 1 : 2 * value);
const fromZigzag = (code: number): number => (code % 2 === 0 ? code / 2 : -(code + 1) / 2);
/** Decodes a code below 2^32. */
const wordFromZigzag = (code: number): number => (code >>> 1) ^ -(code & 1);

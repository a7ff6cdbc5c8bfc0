/*
 * Fractions of few events bring their tickets.
 * Decision: where at most an eighth of a segment's events have a property with fractions, their tickets are stored
 * beside its column.
 * Because: sums of fractions are added in order of ids. Tickets are steps in order of time (ticket-columns.ts), so
 * those of all events would be decoded and sorted for the few (10M events, 3 % with fractions, nothing cached: 840 ms
 * of processor time, and 200 ms with them).
 * Cost: 1 to 6 bytes for each event that has the property. What older versions wrote is read without, at that price.
 * Revisit: if sums need no order.
 */

import { free } from "../../../lib/free";
import { ticketCounter, ticketOf, ticketTimeMs } from "../../shared/ticket";
import type { BuiltColumn } from "./column";
import type { CodedTexts } from "./dictionary";
import type { Segment } from "./segment";
import { folded, unfolded } from "./ticket-columns";

const fewPart = 1 / 8;
const span = 2 ** 32;

/**
 * The column with the tickets' times of the rows that have the property, in their order: how much later than the
 * segment's first event the ticket was given (the lowest 32 bits, the sign being the lowest; ticket_time_high has the
 * rest, where there is one). Their counters are another column.
 */
const timesOf = (column: string): string => `ticket_time.${column}`;
const highOf = (column: string): string => `ticket_time_high.${column}`;
const countersOf = (column: string): string => `ticket_counter.${column}`;

/** What is stored beside the column of a property; nothing for most. */
export function fewTicketColumns(
  column: string,
  { texts, codes }: CodedTexts,
  firstTime: number,
  ticketAt: (row: number) => number,
): Map<string, BuiltColumn> {
  const columns = new Map<string, BuiltColumn>();
  if (!texts.some(isFraction)) return columns;
  const rows = rowsWithCode(codes, fewPart * codes.length);
  if (rows === null) return columns;
  const times = new Uint32Array(rows.length);
  const high = new Uint32Array(rows.length);
  const counters = new Uint32Array(rows.length);
  for (let at = 0; at < rows.length; at++) {
    const ticket = ticketAt(rows[at]);
    const delay = folded(ticketTimeMs(ticket) - firstTime);
    times[at] = delay % span;
    high[at] = Math.floor(delay / span);
    counters[at] = ticketCounter(ticket);
  }
  columns.set(timesOf(column), { codes: times });
  if (high.some((value) => value !== 0)) columns.set(highOf(column), { codes: high });
  columns.set(countersOf(column), { codes: counters });
  return columns;
}

/** Tells whether a JSON text is a fraction. */
const isFraction = (text: string): boolean => /^-?\d/.test(text) && !Number.isInteger(Number(text));

/** Returns the rows with a code; null when there are more than `max`. */
function rowsWithCode(codes: Uint32Array, max: number): Uint32Array | null {
  const rows = new Uint32Array(max);
  let count = 0;
  for (let row = 0; row < codes.length; row++) {
    if (codes[row] === 0) continue;
    if (count === rows.length) return null;
    rows[count++] = row;
  }
  return rows.subarray(0, count);
}

/** The tickets of some rows that have the property, in ascending order; null where they are not stored. */
export function fewTickets(
  segment: Segment,
  column: string,
  rows: Uint32Array,
): Float64Array | null {
  const times = segment.integersOnce(timesOf(column));
  const counters = segment.integersOnce(countersOf(column));
  if (times === null || counters === null) return null;
  const high = segment.integersOnce(highOf(column));
  const places = placesOf(segment, column, rows);
  const tickets = new Float64Array(rows.length);
  for (let at = 0; at < rows.length; at++) {
    const place = places[at];
    const delay = times[place] + (high === null ? 0 : high[place] * span);
    tickets[at] = ticketOf(segment.firstTime + unfolded(delay), counters[place]);
  }
  free(places);
  return tickets;
}

/** Returns for each of some rows, which ascend, how many rows of the segment before it have the property. */
function placesOf(segment: Segment, column: string, rows: Uint32Array): Uint32Array {
  const codes = segment.codes(column) ?? new Uint8Array(0);
  const places = new Uint32Array(rows.length);
  let place = 0;
  let row = 0;
  for (let at = 0; at < rows.length; at++) {
    for (; row < rows[at]; row++) if (codes[row] !== 0) place++;
    places[at] = place;
  }
  return places;
}

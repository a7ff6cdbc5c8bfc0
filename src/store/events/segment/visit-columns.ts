import { nonInteractiveEvents } from "../../../domain/event";
import { parseString } from "../../shared/json-text";
import type { BuiltColumn } from "./column";
import type { DenseColumn } from "./dictionary";
import { sessionIdColumn } from "./segment";
import { ticketColumns } from "./ticket-columns";
import type { VisitOrder, Visits } from "./visits";

/** The columns of a builder, by row, without the properties. */
export interface CollectedEvents {
  readonly times: Float64Array;
  readonly tickets: Float64Array;
  readonly visits: Visits;
  readonly names: DenseColumn;
}

/** Adds the values that a visit has once, without its session id. */
export function addVisitColumns(
  columns: Map<string, BuiltColumn>,
  { times, visits: all, names }: CollectedEvents,
  firstTime: number,
  sorted: VisitOrder,
): void {
  const { order, firstRows, visits } = sorted;
  const add = (name: string, codeOf: (visit: number, v: number) => number): void => {
    const codes = new Uint32Array(visits.length);
    for (let v = 0; v < codes.length; v++) codes[v] = codeOf(visits[v], v);
    columns.set(`visit.${name}`, { codes });
  };
  const { users, high, low } = all;
  const startOf = (v: number): number => times[order[firstRows[v]]];
  const endOf = (v: number): number => times[order[firstRows[v + 1] - 1]];
  add("user", (visit) => users[visit]);
  // This column is sorted, so the segment stores differences.
  add("session_high", (visit, v) => high[visit] - (v === 0 ? 0 : high[visits[v - 1]]));
  add("session_low", (visit) => low[visit]);
  add("start", (_, v) => startOf(v) - firstTime);
  add("duration", (_, v) => endOf(v) - startOf(v));
  add("events", (_, v) => firstRows[v + 1] - firstRows[v]);
  addEventKinds(columns, names, sorted);
}

export function addSessionIds(
  columns: Map<string, BuiltColumn>,
  sessionIds: Iterable<string | null>,
): void {
  columns.set(sessionIdColumn, { texts: Array.from(sessionIds, (id) => JSON.stringify(id)) });
}

/** Adds whether a visit has an event that counts as interaction, and its number of page views. */
function addEventKinds(
  columns: Map<string, BuiltColumn>,
  names: DenseColumn,
  { order, firstRows }: VisitOrder,
): void {
  const { texts } = names.dictionary;
  const isInteractive = Uint8Array.from([
    0,
    ...texts.map((name) => (nonInteractiveEvents.has(parseString(name)) ? 0 : 1)),
  ]);
  const pageView = texts.indexOf(`"page_view"`) + 1;
  const visitCount = firstRows.length - 1;
  const interactive = new Uint8Array(visitCount);
  const pageViews = new Uint32Array(visitCount);
  for (let v = 0; v < visitCount; v++) {
    for (let i = firstRows[v]; i < firstRows[v + 1]; i++) {
      const name = names.codes[order[i]];
      if (isInteractive[name] === 1) interactive[v] = 1;
      if (name === pageView) pageViews[v]++;
    }
  }
  columns.set("visit.interactive", { codes: interactive });
  columns.set("visit.page_views", { codes: pageViews });
}

/** Adds the time of each event as the gap after the event before in its visit. */
export function addTimeColumns(
  columns: Map<string, BuiltColumn>,
  { times }: CollectedEvents,
  { order, firstRows }: VisitOrder,
): void {
  const gaps = new Uint32Array(order.length);
  for (let v = 0; v + 1 < firstRows.length; v++) {
    for (let i = firstRows[v] + 1; i < firstRows[v + 1]; i++) {
      gaps[i] = times[order[i]] - times[order[i - 1]];
    }
  }
  columns.set("event.time", { codes: gaps });
}

export function addTicketColumns(
  columns: Map<string, BuiltColumn>,
  { times, tickets }: Pick<CollectedEvents, "times" | "tickets">,
  firstTime: number,
  order: Uint32Array,
): void {
  const rowTimes = new Uint32Array(order.length);
  const rowTickets = new Float64Array(order.length);
  for (let i = 0; i < order.length; i++) {
    rowTimes[i] = times[order[i]] - firstTime;
    rowTickets[i] = tickets[order[i]];
  }
  for (const [name, column] of ticketColumns(firstTime, rowTimes, rowTickets)) {
    columns.set(name, column);
  }
}

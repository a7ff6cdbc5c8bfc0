import { nonInteractiveEvents } from "../../../domain/event";
import type { DenseColumn } from "./dictionary";
import type { Column } from "./segment";
import { ticketCounter, ticketTimeMs } from "./ticket";
import type { VisitOrder, Visits } from "./visits";

/** What a builder holds of each event, by row, besides its properties. */
export interface CollectedEvents {
  readonly times: Float64Array;
  readonly tickets: Float64Array;
  readonly visits: Visits;
  readonly names: DenseColumn;
}

/** What is the same for all events of a visit, or summed over them. */
export function addVisitColumns(
  columns: Map<string, Column>,
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
  const { users, high, low, sessionIds } = all;
  const startOf = (v: number): number => times[order[firstRows[v]]];
  const endOf = (v: number): number => times[order[firstRows[v + 1] - 1]];
  add("user", (visit) => users[visit]);
  // Sorted, hence stored as differences.
  add("session_high", (visit, v) => high[visit] - (v === 0 ? 0 : high[visits[v - 1]]));
  add("session_low", (visit) => low[visit]);
  add("start", (_, v) => startOf(v) - firstTime);
  add("duration", (_, v) => endOf(v) - startOf(v));
  add("events", (_, v) => firstRows[v + 1] - firstRows[v]);
  addEventKinds(columns, names, sorted);
  columns.set("visit.session_id", {
    dictionary: Array.from(visits, (visit) => sessionIds[visit]),
  });
}

/** Whether a visit has an event that counts as interaction, and its number of page views. */
function addEventKinds(
  columns: Map<string, Column>,
  names: DenseColumn,
  { order, firstRows }: VisitOrder,
): void {
  const { values } = names.dictionary;
  const isInteractive = Uint8Array.from([
    0,
    ...values.map((name) => (nonInteractiveEvents.has(name as string) ? 0 : 1)),
  ]);
  const pageView = values.indexOf("page_view") + 1;
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

/** Times as gaps within the visit; tickets as their delay after the event's time, and their counter. */
export function addTimeColumns(
  columns: Map<string, Column>,
  { times, tickets }: CollectedEvents,
  { order, firstRows }: VisitOrder,
): void {
  const count = order.length;
  const gaps = new Uint32Array(count);
  for (let v = 0; v + 1 < firstRows.length; v++) {
    for (let i = firstRows[v] + 1; i < firstRows[v + 1]; i++) {
      gaps[i] = times[order[i]] - times[order[i - 1]];
    }
  }
  const counters = new Uint32Array(count);
  const delays = new Float64Array(count);
  let least = Number.POSITIVE_INFINITY;
  let most = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < count; i++) {
    const ticket = tickets[order[i]];
    counters[i] = ticketCounter(ticket);
    delays[i] = ticketTimeMs(ticket) - times[order[i]];
    if (delays[i] < least) least = delays[i];
    if (delays[i] > most) most = delays[i];
  }
  columns.set("event.time", { codes: gaps });
  const low = new Uint32Array(count);
  for (let i = 0; i < count; i++) low[i] = (delays[i] - least) % span;
  columns.set("event.delay", { dictionary: [least], codes: low });
  // Only if the clock of the machine was off by weeks for some of the events.
  if (most - least >= span) {
    const high = new Uint32Array(count);
    for (let i = 0; i < count; i++) high[i] = Math.floor((delays[i] - least) / span);
    columns.set("event.delay_high", { codes: high });
  }
  columns.set("event.counter", { codes: counters });
}

const span = 2 ** 32;

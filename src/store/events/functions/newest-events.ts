import type { EventsRequest } from "../../../domain/counting";
import type { FilteredWindow } from "../../../domain/filter-items";
import { timeZoneOf } from "../../../domain/time-zone";
import type { EventsPage } from "../../questions";
import type { Context } from "../filter/context";
import { allOf, Filter } from "../filter/filter";
import type { Segment } from "../segment/segment";
import { EventTexts } from "./newest/event-texts";
import { type FoundEvent, Newest, newestFirst } from "./newest/newest";

/**
 * The newest events by (time, ticket) descending, printed once as the API shows them, so that nobody parses them again.
 * Cost: the rows of the newest segments, until the page is full; further back only what a filter needs.
 */
export function newestEvents(
  context: Context,
  segments: readonly Segment[],
  window: FilteredWindow,
  request: EventsRequest,
): EventsPage {
  if (segments.length === 0) return { count: 0, next: null, events: "[]" };
  const identity = context.identity(segments[0].projectId);
  const newest = new Newest(request.limit + 1);
  const filter = new Filter(context, allOf(window, request.filters), identity);
  const { before } = request;
  // Equal times are told apart by ticket below.
  const toMs = before === null ? window.toMs : Math.min(window.toMs, before.timeMs + 1);
  for (const segment of newestFirst(segments)) {
    if (segment.lastTime < newest.barMs) break;
    const selection = filter.select(segment, { fromMs: window.fromMs, toMs });
    if (selection.isNone) continue;
    const { rows } = selection;
    const { times, firstTime } = segment;
    for (let i = 0; i < times.length; i++) {
      if (rows[i] === 0) continue;
      const timeMs = firstTime + times[i];
      if (timeMs < newest.barMs) continue;
      if (before !== null && timeMs === before.timeMs && segment.ticketAt(i) >= before.ticket)
        continue;
      newest.offer(timeMs, segment, i);
    }
  }
  const found = newest.events();
  const shown = found.slice(0, request.limit);
  const last = found.length > shown.length ? shown.at(-1) : undefined;
  const next = last === undefined ? null : { timeMs: last.timeMs, ticket: ticketOf(last) };
  const inOrder = request.oldest_first === true ? shown.toReversed() : shown;
  const texts = new EventTexts(request.project_id, identity, timeZoneOf(window.zone));
  return { count: shown.length, next, events: texts.listOf(inOrder) };
}

const ticketOf = ({ segment, row }: FoundEvent): number => segment.ticketAt(row);

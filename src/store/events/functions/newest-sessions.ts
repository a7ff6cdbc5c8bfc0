import type { SessionsRequest } from "../../../domain/counting";
import { isoDate } from "../../../domain/event";
import type { FilteredWindow } from "../../../domain/filter-items";
import { timeZoneOf } from "../../../domain/time-zone";
import { Smallest } from "../../../lib/smallest";
import { compareText } from "../../../lib/text";
import type { FoundSession } from "../../questions";
import { sessionsWith } from "../aggregate/session-filter";
import type { Context } from "../filter/context";
import type { Segment } from "../segment/segment";
import { sessionsPerCheck } from "../session/field-values";
import type { Sessions } from "../session/sessions";
import { sessionsOfUser } from "../session/sessions-of-user";
import type { Budget } from "../sets/budget";
import { largest } from "../sets/largest";

/** Returns the newest sessions that started within the window. Cost: one pass over the table of sessions. */
export function newestSessions(
  context: Context,
  all: readonly Segment[],
  window: FilteredWindow,
  request: SessionsRequest,
): FoundSession[] {
  if (all.length === 0) return [];
  const identity = context.identity(all[0].projectId);
  const user = request.user_id === null ? null : identity.numberOf(request.user_id);
  if (request.user_id !== null && user === null) return [];
  const ofUser = user === null ? null : sessionsOfUser(all, window, user, identity, context);
  const sessions = ofUser ?? context.tables.sessions(all, window);
  if (sessions === null) return [];
  const matching = sessionsWith(context, sessions, all, window);
  const { start } = sessions;
  const newest = new Smallest(request.limit, byStart(sessions));
  let leastMs = Number.NEGATIVE_INFINITY;
  // The newest sessions mostly have the highest numbers, so from then on one comparison rules out nearly every session.
  for (let n = sessions.count; n >= 1; n--) {
    if (n % sessionsPerCheck === 0) context.check();
    if (start[n] < leastMs || start[n] < window.fromMs || start[n] >= window.toMs) continue;
    if (matching !== null && matching[n] === 0) continue;
    if (user !== null && sessions.userOf(n, identity) !== user) continue;
    if (!passes(sessions, n, request)) continue;
    newest.offer(n);
    if (newest.last !== undefined) leastMs = start[newest.last];
  }
  const shown = newest.members();
  const pages = sessions.pagesOf(shown);
  const zone = timeZoneOf(window.zone);
  return shown.map((n, place): FoundSession => {
    return {
      session_id: sessions.idOf(n),
      user_id: identity.nameOf(sessions.userOf(n, identity)),
      project_id: request.project_id,
      start_time: sessions.start[n],
      end_time: sessions.end[n],
      duration: sessions.duration(n),
      entry_page: pages[place].entry,
      exit_page: pages[place].exit,
      event_count: sessions.events[n],
      is_bounce: sessions.isBounce(n),
      date: isoDate(zone.dayAt(sessions.start[n])),
    };
  });
}

/** Tests the id last, as it is a text in a dictionary. */
function passes(sessions: Sessions, n: number, request: SessionsRequest): boolean {
  const { before, is_bounce: isBounce, session_id: sessionId } = request;
  if (isBounce !== null && sessions.isBounce(n) !== isBounce) return false;
  if (before !== null && sessions.start[n] > before.startMs) return false;
  if (sessionId !== null && sessions.idOf(n) !== sessionId) return false;
  return (
    before === null ||
    sessions.start[n] < before.startMs ||
    compareText(sessions.idOf(n), before.id) < 0
  );
}

/** Returns the `limit` members that started last, ties by descending id. It looks up ids only if they decide. */
export function newestOf(
  sessions: Sessions,
  members: readonly number[],
  limit: number,
  budget: Budget,
): number[] {
  const { start } = sessions;
  return [...largest(members, limit, (n) => start[n], budget)]
    .sort(byStart(sessions))
    .slice(0, limit);
}

/** Orders sessions by start, the latest first. If two started together, the one with the greater id comes first. */
const byStart =
  (sessions: Sessions) =>
  (a: number, b: number): number =>
    sessions.start[b] - sessions.start[a] || compareText(sessions.idOf(b), sessions.idOf(a));

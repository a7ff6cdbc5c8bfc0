import type { Question } from "../../domain/cursor";
import { dayOf } from "../../domain/event";
import type { Condition } from "../../domain/filter";
import type { Days } from "../../domain/period";
import { timelineEntriesMax, timelineEventsMax } from "../../domain/replay/limits";
import {
  joined,
  pageOfEntries,
  type TrackedEvent,
  timelineText,
} from "../../domain/replay/timeline-entry";
import type { Deps } from "../../http/deps";
import type { RequestHead } from "../../http/operation/operation";
import { hourMs } from "../../lib/clock";
import type { Read } from "../../store/port";
import type { StoredTimeline } from "../../store/replay-port";
import type { ReplayTimelineQuery } from "./schema";

/** The part of GET /events that is needed here: the read of another feature, which the list of features hands in. */
export type EventsRead = Read<
  {
    readonly projectId: string;
    readonly days: Days;
    readonly conditions: readonly Condition[];
    readonly limit: number;
    readonly before: null;
    readonly question: Question;
  },
  unknown
>;

interface TimelineRequest {
  readonly replayId: string;
  readonly accountId: string;
  readonly query: ReplayTimelineQuery;
  readonly request: RequestHead;
  readonly arrivedAtMs: number;
}

/**
 * Answers with the timeline and the session's tracked events: as JSON, or as lines if the request accepts plain text.
 */
export async function timelineAnswer(
  deps: Deps,
  eventsRead: EventsRead,
  { replayId, accountId, query, request, arrivedAtMs }: TimelineRequest,
) {
  const told = await deps.replays.timeline(replayId);
  const signal = request.signal;
  const events = await trackedEvents(deps, eventsRead, told, { accountId, signal, arrivedAtMs });
  const { after_ms: afterMs = null, limit = timelineEntriesMax } = query;
  const page = pageOfEntries(joined(told.entries, events, told), afterMs, limit);
  const isTruncated = page.truncated || told.isCut;
  if (acceptsText(request)) {
    return new Response(timelineText(page.entries, isTruncated), { headers: textHeaders });
  }
  return { replay: told.replay, entries: [...page.entries], truncated: isTruncated };
}

const textHeaders = { "content-type": "text/plain; charset=utf-8" };

/** Plain text by name, and not after JSON. */
function acceptsText({ headers }: RequestHead): boolean {
  const accept = headers.get("accept") ?? "";
  const [text, json] = [accept.indexOf("text/plain"), accept.indexOf("application/json")];
  return text >= 0 && (json < 0 || text < json);
}

/** Around the recording: the tracker starts before the recorder, and clocks differ. */
const aroundMs = hourMs;

async function trackedEvents(
  { control, store }: Deps,
  eventsRead: EventsRead,
  { replay, startMs, endMs }: StoredTimeline,
  request: Parameters<Deps["store"]["read"]>[2],
): Promise<TrackedEvent[]> {
  const sessionId = replay.analytics_session_id;
  const days = { from: dayOf(startMs - aroundMs), to: dayOf(endMs + aroundMs) };
  const conditions: Condition[] = [{ field: "session_id", op: "eq", value: sessionId }];
  const input = { projectId: replay.project_id, days, conditions, limit: timelineEventsMax };
  const { json } = await store.read(
    eventsRead,
    { ...input, before: null, question: {} },
    { ...request, facts: control.dataVersions.ofProject(replay.project_id) },
  );
  const { events }: { events: { timestamp: number; event: string }[] } = JSON.parse(json);
  return events.map(({ timestamp, event }) => ({ timeMs: timestamp, name: event }));
}

import type { FilterItem } from "../../domain/filter-items";
import { allTime, type Days } from "../../domain/period";
import type { ReplaySummary } from "../../domain/replay/summary";
import type { Deps } from "../../http/deps";
import { viewOf } from "../../reads/view";
import { type Filtered, type Warned, warningsOf } from "../../reads/warnings";
import type { Read, ReadRequest } from "../../store/port";
import type { ReplayPlace, ReplaysQuestion } from "../../store/replay-port";

/** The most questions to the event store for one page. With a filter that few sessions pass, a page may stay short. */
const roundsMax = 10;

interface SessionsInput extends Filtered {
  readonly days: Days;
  readonly sessionIds: readonly string[];
}
interface SessionsAnswer extends Warned {
  readonly sessions: readonly string[];
}

/** Returns those of the sessions that have an event on these dates for which the filters hold. */
export const sessionsAmongRead: Read<SessionsInput, SessionsAnswer> = {
  name: "sessions-among",
  scope: ({ projectId }) => ({ projectIds: [projectId], ...allTime }),
  async run(snapshot, input) {
    const { projectId, days, filters, sessionIds } = input;
    const warned = await warningsOf(snapshot, input, { days });
    if (sessionIds.length === 0) return { sessions: [], ...warned };
    const { rows } = await snapshot.countBy(viewOf(projectId, days, filters), {
      group_by: ["session_id"],
      metrics: ["event_count"],
      filters: [{ field: "session_id", op: "in", value: sessionIds }],
      skip_null: true,
    });
    const sessions = rows.flatMap(({ session_id: id }) => (id === null ? [] : [String(id)]));
    return { sessions, ...warned };
  },
};

interface FilteredPage extends Warned {
  readonly replays: readonly ReplaySummary[];
  readonly next: ReplayPlace | null;
}

/**
 * Lists recordings of sessions with an event for which the filters hold. As recordings and events are in two stores, it
 * reads recordings in rounds and asks the event store about their sessions, until the page is full.
 */
export async function filteredReplays(
  { replays, store, control }: Pick<Deps, "replays" | "store" | "control">,
  question: ReplaysQuestion,
  filtered: { readonly days: Days; readonly filters: readonly FilterItem[] },
  request: Omit<ReadRequest, "told">,
): Promise<FilteredPage> {
  const { projectId, limit } = question;
  if (filtered.filters.length === 0) return replays.list(question);
  const recordings: ReplaySummary[] = [];
  let { after } = question;
  let warned: Warned = {};
  for (let round = 0; round < roundsMax; round++) {
    const page = await replays.list({ ...question, limit: limit - recordings.length, after });
    const sessionIds = [...new Set(page.replays.map(({ analytics_session_id: id }) => id))];
    const { json } = await store.read(
      sessionsAmongRead,
      { projectId, ...filtered, sessionIds },
      { ...request, facts: control.dataVersions.ofProject(projectId) },
    );
    const { sessions, ...warnings }: SessionsAnswer = JSON.parse(json);
    const wanted = new Set(sessions);
    recordings.push(...page.replays.filter(({ analytics_session_id: id }) => wanted.has(id)));
    warned = warnings;
    after = page.next;
    if (after === null || recordings.length === limit) break;
  }
  return { replays: recordings, next: after, ...warned };
}

import type { FilterItem } from "../../domain/filter-items";
import { allTime, type Days } from "../../domain/period";
import type { ReplaySummary } from "../../domain/replay/summary";
import type { Deps } from "../../http/deps";
import { viewOf } from "../../reads/view";
import { type Filtered, type Warned, warningsOf } from "../../reads/warnings";
import type { Read, ReadRequest } from "../../store/port";
import type { ReplayPlace, ReplaysQuestion } from "../../store/replay-port";

/** The questions to the store of events for one page: a filter that hardly anything passes may leave a page short. */
const roundsMax = 10;

interface AmongInput extends Filtered {
  readonly days: Days;
  readonly sessionIds: readonly string[];
}
interface Among extends Warned {
  readonly sessions: readonly string[];
}

/** Returns which of the sessions have an event on these dates for which the filters hold. */
export const sessionsAmongRead: Read<AmongInput, Among> = {
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
 * Lists recordings of sessions with an event for which the filters hold. Recordings and events lie in two stores: the
 * list is read on, and its sessions are looked for among the events, until the page is full.
 */
export async function filteredReplays(
  { replays, store, control }: Pick<Deps, "replays" | "store" | "control">,
  question: ReplaysQuestion,
  filtered: { readonly days: Days; readonly filters: readonly FilterItem[] },
  request: Omit<ReadRequest, "told">,
): Promise<FilteredPage> {
  const { projectId, limit } = question;
  if (filtered.filters.length === 0) return replays.list(question);
  const found: ReplaySummary[] = [];
  let { after } = question;
  let warned: Warned = {};
  for (let round = 0; round < roundsMax; round++) {
    const page = await replays.list({ ...question, limit: limit - found.length, after });
    const sessionIds = [...new Set(page.replays.map(({ analytics_session_id: id }) => id))];
    const { json } = await store.read(
      sessionsAmongRead,
      { projectId, ...filtered, sessionIds },
      { ...request, told: control.dataVersions.ofProject(projectId) },
    );
    const { sessions, ...told }: Among = JSON.parse(json);
    const wanted = new Set(sessions);
    found.push(...page.replays.filter(({ analytics_session_id: id }) => wanted.has(id)));
    warned = told;
    after = page.next;
    if (after === null || found.length === limit) break;
  }
  return { replays: found, next: after, ...warned };
}

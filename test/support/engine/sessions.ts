import type { AcceptedEvent } from "../../../src/domain/event";
import { selectionOf } from "../../../src/domain/metric";
import { pagesRead } from "../../../src/features/pages/pages";
import { queryRead } from "../../../src/features/query/read";
import { distributionRead } from "../../../src/features/sessions/distribution";
import { sessionsRead } from "../../../src/features/sessions/read";
import type { Random } from "../random/random";
import type { Engine } from "./engine";
import { event, type lastDays, noonMs, projectId } from "./examples";

const paged = { limit: 1_000, before: null, question: {} };
const anybody = { userId: null, sessionId: null, isBounce: null, showsReplays: false };

/** All that is kept of sessions, as the API shows it. */
export async function shown(days: typeof lastDays, read: Engine["read"]): Promise<unknown> {
  const metrics = ["session_count", "bounce_rate", "avg_duration", "event_count"];
  const judged = selectionOf({ metrics, group_by: ["event"] });
  const counted = selectionOf({ metrics: ["session_count"], group_by: ["event"] });
  return [
    await read(sessionsRead, { projectId, days, ...anybody, ...paged }),
    await read(distributionRead, { projectId, days }),
    await read(pagesRead, { projectId, days, type: "both", limit: 1_000 }),
    await read(queryRead, { projectId, days, selection: judged, filters: [], limit: 100 }),
    await read(queryRead, { projectId, days, selection: counted, filters: [], limit: 100 }),
  ];
}

/** Sessions that go on for days, of few users, with pages or without. */
export function randomEvents(
  { below, chance, pick }: Random,
  count: number,
  spanDays: number,
): AcceptedEvent[] {
  return Array.from({ length: count }, () =>
    event({
      name: pick(["page_view", "page_view", "click"]),
      timeMs: noonMs - below(spanDays * 24 * 60) * 60_000,
      userId: chance(0.7) ? `u${below(9)}` : null,
      sessionId: chance(0.9) ? `s${below(400)}` : null,
      properties: chance(0.4) ? { path: `/${below(5)}` } : {},
    }),
  );
}

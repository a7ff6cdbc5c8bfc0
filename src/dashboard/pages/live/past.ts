import type { QueryAnswer } from "../../data/answers";
import { call } from "../../data/api";
import { query } from "../../data/queries";
import { chartMs, type Point } from "./messages";

const minuteMs = 60_000;
/** As many as one request may ask. */
const points = 20;
const stepMs = chartMs / points;

/**
 * What the line would show if the page had been open for five minutes: events of the minute up to each point, counted
 * by the store. The buffer of the last minutes keeps no history of its rate.
 */
export async function pastOf(project: string, nowMs: number): Promise<readonly Point[]> {
  const ends = Array.from({ length: points }, (_, i) => nowMs - (points - i) * stepMs);
  const dayBefore = new Date(nowMs - 24 * 60 * minuteMs).toISOString().slice(0, 10);
  const queries = ends.map((atMs) => ({
    ...{ metrics: ["event_count"], count_mode: "raw", date_from: dayBefore },
    filters: [
      { field: "timestamp", op: "gt", value: atMs - minuteMs },
      { field: "timestamp", op: "lte", value: atMs },
    ],
  }));
  const { answer } = await call<{ results: readonly QueryAnswer[] }>(
    query({ project, context: false, queries }),
  );
  return ends.map((atMs, i) => ({
    atMs,
    value: Number(answer.results[i]?.rows[0]?.event_count ?? 0),
  }));
}

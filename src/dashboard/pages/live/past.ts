import type { LiveAnswer, QueryAnswer } from "../../data/answers";
import { call } from "../../data/api";
import { live, query } from "../../data/queries";
import { chartMs, type Past } from "./messages";

const minuteMs = 60_000;
/** The most that one request may ask for. */
const points = 20;
const stepMs = chartMs / points;

export async function pastOf(project: string, nowMs: number): Promise<Past> {
  const ends = Array.from({ length: points }, (_, i) => nowMs - (points - i) * stepMs);
  const dayBefore = new Date(nowMs - 24 * 60 * minuteMs).toISOString().slice(0, 10);
  const queries = ends.map((atMs) => ({
    ...{ metrics: ["event_count"], count_mode: "raw", date_from: dayBefore },
    filters: [
      { field: "timestamp", op: "gt", value: atMs - minuteMs },
      { field: "timestamp", op: "lte", value: atMs },
    ],
  }));
  const [{ answer: stored }, { answer: buffered }] = await Promise.all([
    call<{ results: readonly QueryAnswer[] }>(query({ project, context: false, queries })),
    call<LiveAnswer>(live(project)),
  ]);
  const line = ends.map((atMs, i) => ({
    atMs,
    value: Number(stored.results[i]?.rows[0]?.event_count ?? 0),
  }));
  // The minutes of the first points begin before those of the buffer.
  const ofBuffer = line.filter(({ atMs }) => atMs - minuteMs >= nowMs - chartMs);
  const isForgotten =
    buffered.recent_events.length === 0 && ofBuffer.some(({ value }) => value > 0);
  return { points: line, isForgotten };
}

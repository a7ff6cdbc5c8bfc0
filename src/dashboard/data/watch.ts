import type { ReplayRow } from "./answers";
import { call } from "./api";

/** Opens the viewer, at a second of the recording if one is given. */
export async function watch(id: string, second = 0): Promise<void> {
  const path = `/replays/${encodeURIComponent(id)}/open`;
  const { answer } = await call<{ viewer_url: string }>({ method: "POST", path });
  location.assign(second > 0 ? `${answer.viewer_url}#t=${second}` : answer.viewer_url);
}

/**
 * A recording counts from its first event, which the recorder sends once the page has loaded, or 3 s after it has
 * started. So this is the moment, or up to 3 s before it.
 */
const beforeMs = 3_000;

/** The recording that was running at a time, and the second in it. */
export function recordingAt(
  replays: readonly ReplayRow[],
  timeMs: number,
): { readonly id: string; readonly second: number } | null {
  const running = replays.find(
    ({ started_at, ended_at, has_full_snapshot }) =>
      has_full_snapshot && started_at - beforeMs <= timeMs && timeMs <= (ended_at ?? timeMs),
  );
  if (running === undefined) return null;
  const second = Math.floor((timeMs - running.started_at - beforeMs) / 1_000);
  return { id: running.id, second: Math.max(0, second) };
}

import type { Days } from "../domain/period";
import { timeZoneOf } from "../domain/time-zone";
import type { Snapshot } from "../store/questions";

/** The first date of which the project has all that it ever had; null when it has nothing. */
export async function firstDateKept(
  snapshot: Snapshot,
  projectId: string,
  { zone: name }: Pick<Days, "zone">,
): Promise<number | null> {
  const zone = timeZoneOf(name);
  const stored = await snapshot.storedEvents(projectId);
  if (stored.first_event_at === null) return null;
  const clippedDay = zone.dayAt(stored.retained_from_ms);
  const isWhole = zone.startOf(clippedDay) >= stored.retained_from_ms;
  return Math.max(zone.dayAt(stored.first_event_at), isWhole ? clippedDay : clippedDay + 1);
}

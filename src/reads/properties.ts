import { isoDate } from "../domain/event";
import { eventNamesMax, propertyKeysMax } from "../domain/limits";
import { type Days, windowOf } from "../domain/period";
import type { Read } from "../store/port";
import type { Snapshot, View } from "../store/questions";
import { viewOf } from "./view";

const propertyKeysSampleEvents = 1_000;

/** The event names and properties that a project can be asked about. */
export interface Properties {
  readonly events: readonly {
    readonly event: string;
    readonly count: number;
    readonly unique_users: number;
    readonly first_seen: string;
    readonly last_seen: string;
  }[];
  readonly property_keys: readonly string[];
  readonly truncated?: true;
}

/** What a refusal of a filter names. */
export const propertiesRead: Read<{ readonly projectId: string; readonly days: Days }, Properties> =
  {
    name: "properties",
    scope: ({ projectId, days }) => ({ projectIds: [projectId], ...windowOf(days) }),
    run: (snapshot, { projectId, days }) =>
      propertiesOf(snapshot, viewOf(projectId, days), allNames),
  };

/** Lists have a limit, as anyone with the public token can send ever new names and keys. */
interface Limits {
  readonly eventsMax: number;
  readonly keysMax: number;
}
export const allNames: Limits = { eventsMax: eventNamesMax, keysMax: propertyKeysMax };

export async function propertiesOf(
  snapshot: Snapshot,
  view: View,
  { eventsMax, keysMax }: Limits,
): Promise<Properties> {
  const { rows } = await snapshot.countBy(view, {
    group_by: ["event"],
    metrics: ["event_count", "unique_users", "first_day", "last_day"],
    limit: eventsMax + 1, // one more tells whether there are more
  });
  const sample = propertyKeysSampleEvents;
  const request = { sample, by_event: false, limit: keysMax };
  const keys = await snapshot.newestKeys(view, request);
  return {
    events: rows
      .slice(0, eventsMax)
      .map(({ event, event_count: count, unique_users, first_day, last_day }) => ({
        event,
        count,
        unique_users,
        first_seen: isoDate(first_day),
        last_seen: isoDate(last_day),
      })),
    property_keys: keys.pairs.map(([key]) => key),
    ...((rows.length > eventsMax || keys.is_cut) && { truncated: true }),
  };
}

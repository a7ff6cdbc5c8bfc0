import { isoDate } from "../domain/event";
import type { Warning } from "../domain/fields";
import { eventNamesMax, propertyKeysMax } from "../domain/limits";
import { type Days, windowOf } from "../domain/period";
import type { Read } from "../store/port";
import { viewOf } from "./view";
import { type Filtered, warningsOf } from "./warnings";

const propertyKeysSampleEvents = 1_000;

interface PropertiesInput extends Filtered {
  readonly days: Days;
  /** The limit of the lists, as anyone with the public token can send ever new names and keys. */
  readonly eventsMax?: number;
  readonly keysMax?: number;
}
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
  readonly warnings?: readonly Warning[];
}

/** GET /properties. */
export const propertiesRead: Read<PropertiesInput, Properties> = {
  name: "properties",
  scope: ({ projectId, days }) => ({ projectIds: [projectId], ...windowOf(days) }),
  async run(snapshot, input) {
    const { projectId, days, filters } = input;
    const { eventsMax = eventNamesMax, keysMax = propertyKeysMax } = input;
    const view = viewOf(projectId, days, filters);
    const { rows } = await snapshot.countBy(view, {
      group_by: ["event"],
      metrics: ["event_count", "unique_users", "first_day", "last_day"],
      limit: eventsMax + 1, // one more tells whether there are more
    });
    const sample = propertyKeysSampleEvents;
    const keys = await snapshot.newestKeys(view, { sample, by_event: false, limit: keysMax });
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
      ...(await warningsOf(snapshot, input, { days })),
    };
  },
};

import { isoDate } from "../../domain/event";
import { type Days, windowOf } from "../../domain/period";
import { viewOf } from "../../reads/view";
import { type Filtered, warningsOf } from "../../reads/warnings";
import type { Read } from "../../store/port";
import type { Properties, ReceivedProperties } from "./schema";
import { eventNamesMax, propertyKeysMax, receivedPairsMax } from "./schema";

const propertyKeysSampleEvents = 1_000;

interface PropertiesInput extends Filtered {
  readonly days: Days;
  /** Of the lists. Anyone with the public token can send ever new names and keys. */
  readonly eventsMax?: number;
  readonly keysMax?: number;
}
interface ReceivedInput {
  readonly projectId: string;
  readonly days: Days;
  readonly sample: number;
  readonly pairsMax?: number;
}

/** GET /properties of the contract. */
export const propertiesRead: Read<PropertiesInput, Properties> = {
  name: "properties",
  isFiltered: true,
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
      ...(await warningsOf(snapshot, input, windowOf(days))),
    };
  },
};

/** GET /properties/received of the contract. */
export const receivedRead: Read<ReceivedInput, ReceivedProperties> = {
  name: "properties-received",
  scope: ({ projectId, days }) => ({ projectIds: [projectId], ...windowOf(days) }),
  async run(snapshot, { projectId, days, sample, pairsMax = receivedPairsMax }) {
    const view = { projectId, ...windowOf(days) };
    const request = { sample, by_event: true, limit: pairsMax };
    const { pairs, is_cut } = await snapshot.newestKeys(view, request);
    return {
      since: isoDate(days.from),
      sample_size: sample,
      properties: pairs.map(([key, event]) => ({ key, event })),
      ...(is_cut && { truncated: true }),
    };
  },
};

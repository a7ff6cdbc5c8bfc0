import type { CountRequest, FoundKeys, KeysRequest } from "../../domain/counting";
import { isoDate } from "../../domain/event";
import {
  eventNamesMax,
  propertyKeysMax,
  propertyKeysSampleEvents,
  receivedPairsMax,
} from "../../domain/limits";
import { type Days, windowOf } from "../../domain/period";
import type { Read, Snapshot } from "../../store/port";
import { SCOPE, type Sets, setsOf } from "../../store/segment-sets";
import type { Properties, ReceivedProperties } from "./schema";

interface PropertiesInput {
  readonly projectId: string;
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

/** Every event name of the window with its counts, first and last day, as JSON. */
export const SEEN_EVENTS = `
  with ${SCOPE}
  select count_by(segments, :from, :to, :request, '[]') as events from scope`;

/** The keys of the newest events that have properties, and which came with which event, as JSON. */
export const NEWEST_KEYS = `
  with ${SCOPE}
  select newest_keys(segments, :from, :to, :request) as found from scope`;

/** One more than is shown tells whether there are more. */
const seenEvents = (eventsMax: number): CountRequest => ({
  group_by: ["event"],
  metrics: ["event_count", "unique_users", "first_day", "last_day"],
  limit: eventsMax + 1,
});
interface SeenRow {
  readonly event: string;
  readonly event_count: number;
  readonly unique_users: number;
  readonly first_day: number;
  readonly last_day: number;
}

/** GET /properties of the contract. */
export const propertiesRead: Read<PropertiesInput, Properties> = {
  name: "properties",
  scope: ({ projectId, days }) => ({ projectIds: [projectId], ...windowOf(days) }),
  run(snapshot, { projectId, days, eventsMax = eventNamesMax, keysMax = propertyKeysMax }) {
    const sets = setsOf(snapshot.project(projectId), windowOf(days));
    const request = JSON.stringify(seenEvents(eventsMax));
    const found = snapshot.row<{ events: string }>(SEEN_EVENTS, { ...sets, request });
    const rows: SeenRow[] = JSON.parse(found?.events ?? "[]");
    const sample = propertyKeysSampleEvents;
    const keys = keysOf(snapshot, sets, { sample, by_event: false, limit: keysMax });
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
  },
};

/** GET /properties/received of the contract. */
export const receivedRead: Read<ReceivedInput, ReceivedProperties> = {
  name: "properties-received",
  scope: ({ projectId, days }) => ({ projectIds: [projectId], ...windowOf(days) }),
  run(snapshot, { projectId, days, sample, pairsMax = receivedPairsMax }) {
    const sets = setsOf(snapshot.project(projectId), windowOf(days));
    const { pairs, is_cut } = keysOf(snapshot, sets, { sample, by_event: true, limit: pairsMax });
    return {
      since: isoDate(days.from),
      sample_size: sample,
      properties: pairs.map(([key, event]) => ({ key, event })),
      ...(is_cut && { truncated: true }),
    };
  },
};

function keysOf(snapshot: Snapshot, sets: Sets, request: KeysRequest): FoundKeys {
  const row = snapshot.row<{ found: string }>(NEWEST_KEYS, {
    ...sets,
    request: JSON.stringify(request),
  });
  return row === undefined ? { pairs: [], is_cut: false } : JSON.parse(row.found);
}

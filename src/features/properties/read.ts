import type { CountRequest, KeysRequest } from "../../domain/counting";
import { isoDate } from "../../domain/event";
import { propertyKeysSampleEvents } from "../../domain/limits";
import { type Days, windowOf } from "../../domain/period";
import { compareText } from "../../lib/text";
import type { Read, Snapshot } from "../../store/port";
import { SCOPE, type Sets, setsOf } from "../../store/segment-sets";
import type { Properties, ReceivedProperties } from "./schema";

interface PropertiesInput {
  readonly projectId: string;
  readonly days: Days;
}
interface ReceivedInput extends PropertiesInput {
  readonly sample: number;
}
type Pair = readonly [key: string, event: string];

/** Every event name of the window with its counts, first and last day, as JSON. */
export const SEEN_EVENTS = `
  with ${SCOPE}
  select count_by(segments, :from, :to, :request, '[]') as events from scope`;

/** Which keys came with which event among the newest events that have properties, as JSON. */
export const NEWEST_KEYS = `
  with ${SCOPE}
  select newest_keys(segments, :from, :to, :request) as pairs from scope`;

const seenEvents: CountRequest = {
  group_by: ["event"],
  metrics: ["event_count", "unique_users", "first_day", "last_day"],
};
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
  run(snapshot, { projectId, days }) {
    const sets = setsOf(snapshot.project(projectId), windowOf(days));
    const request = JSON.stringify(seenEvents);
    const found = snapshot.row<{ events: string }>(SEEN_EVENTS, { ...sets, request });
    const rows: SeenRow[] = JSON.parse(found?.events ?? "[]");
    const keys = new Set(pairsOf(snapshot, sets, propertyKeysSampleEvents).map(([key]) => key));
    return {
      events: rows.map(({ event, event_count: count, unique_users, first_day, last_day }) => ({
        event,
        count,
        unique_users,
        first_seen: isoDate(first_day),
        last_seen: isoDate(last_day),
      })),
      property_keys: [...keys].sort(compareText),
    };
  },
};

/** GET /properties/received of the contract. */
export const receivedRead: Read<ReceivedInput, ReceivedProperties> = {
  name: "properties-received",
  scope: ({ projectId, days }) => ({ projectIds: [projectId], ...windowOf(days) }),
  run(snapshot, { projectId, days, sample }) {
    const sets = setsOf(snapshot.project(projectId), windowOf(days));
    const pairs = [...pairsOf(snapshot, sets, sample)].sort(
      (a, b) => compareText(a[0], b[0]) || compareText(a[1], b[1]),
    );
    return {
      since: isoDate(days.from),
      sample_size: sample,
      properties: pairs.map(([key, event]) => ({ key, event })),
    };
  },
};

function pairsOf(snapshot: Snapshot, sets: Sets, sample: number): readonly Pair[] {
  const request: KeysRequest = { sample };
  const found = snapshot.row<{ pairs: string }>(NEWEST_KEYS, {
    ...sets,
    request: JSON.stringify(request),
  });
  return JSON.parse(found?.pairs ?? "[]");
}

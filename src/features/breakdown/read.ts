import type { CountRequest } from "../../domain/counting";
import { type Condition, eventConditions } from "../../domain/filter";
import { type Days, windowOf } from "../../domain/period";
import type { Read } from "../../store/port";
import { SCOPE, setsOf } from "../../store/segment-sets";
import type { Breakdown } from "./schema";

interface BreakdownInput {
  readonly projectId: string;
  readonly days: Days;
  /** A property key, or `country`. */
  readonly property: string;
  readonly event: string | null;
  readonly limit: number;
}

/** The values of a property as JSON, and how many events there are with and without it. */
export const BREAKDOWN = `
  with ${SCOPE}
  select event_count(segments, :from, :to, :events) as total_events,
    event_count(segments, :from, :to, :events_with_property) as total_with_property,
    count_by(segments, :from, :to, :request, '[]') as "values"
  from scope`;

interface Found {
  readonly total_events: number;
  readonly total_with_property: number;
  readonly values: string;
}
type ValueRow = Readonly<Record<"event_count" | "unique_users", number>> &
  Readonly<Record<string, string | number>>;

/** GET /breakdown of the contract. */
export const breakdownRead: Read<BreakdownInput, Breakdown> = {
  name: "breakdown",
  scope: ({ projectId, days }) => ({ projectIds: [projectId], ...windowOf(days) }),
  run(snapshot, { projectId, days, property, event, limit }) {
    const field = property === "country" ? "country" : (`properties.${property}` as const);
    const events = eventConditions(event);
    // Every value begins with the empty text; a missing one and null do not.
    const hasProperty: Condition = { field, op: "prefix", value: "" };
    const request: CountRequest = {
      group_by: [field],
      metrics: ["event_count", "unique_users"],
      filters: events,
      limit,
      skip_null: true,
    };
    const found = snapshot.row<Found>(BREAKDOWN, {
      ...setsOf(snapshot.project(projectId), windowOf(days)),
      events: JSON.stringify(events),
      events_with_property: JSON.stringify([...events, hasProperty]),
      request: JSON.stringify(request),
    });
    const rows: ValueRow[] = JSON.parse(found?.values ?? "[]");
    return {
      property,
      event,
      values: rows.map(({ event_count: count, unique_users, [field]: value }) => ({
        value: String(value),
        count,
        unique_users,
      })),
      total_events: found?.total_events ?? 0,
      total_with_property: found?.total_with_property ?? 0,
    };
  },
};

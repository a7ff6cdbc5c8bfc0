import { type Condition, eventConditions } from "../../domain/filter";
import { type Days, windowOf } from "../../domain/period";
import { isPropertyField } from "../../domain/property-field";
import { cutOf } from "../../reads/cut";
import { viewOf } from "../../reads/view";
import { type Filtered, warningsOf } from "../../reads/warnings";
import type { Read } from "../../store/port";
import type { Breakdown } from "./schema";

interface BreakdownInput extends Filtered {
  readonly days: Days;
  /** A property key, or `country`. */
  readonly property: string;
  readonly event: string | null;
  readonly limit: number;
}

/** GET /breakdown. */
export const breakdownRead: Read<BreakdownInput, Breakdown> = {
  name: "breakdown",
  scope: ({ projectId, days }) => ({ projectIds: [projectId], ...windowOf(days) }),
  async run(snapshot, input) {
    const { projectId, days, property, event, limit, filters } = input;
    const field = property === "country" ? "country" : (`properties.${property}` as const);
    const view = viewOf(projectId, days, filters);
    const events = eventConditions(event);
    const names = event === null ? [] : [event];
    // Every value begins with the empty text; a missing one and null do not.
    const hasProperty: Condition = { field, op: "prefix", value: "" };
    const { rows, groups_total } = await snapshot.countBy(view, {
      group_by: [field],
      metrics: ["event_count", "unique_users"],
      filters: events,
      limit,
      skip_null: true,
    });
    const totalEvents = await snapshot.eventCount(view, events);
    // Where no value is left out, each event that has the property is counted with one of them.
    const withProperty =
      groups_total === rows.length
        ? rows.reduce((sum, { event_count: count }) => sum + count, 0)
        : await snapshot.eventCount(view, [...events, hasProperty]);
    const hasNoValue = totalEvents > 0 && rows.length === 0;
    const about = { ...input, unfound: hasNoValue ? [field].filter(isPropertyField) : [] };
    return {
      property,
      event,
      values: rows.map(({ event_count: count, unique_users, [field]: value }) => ({
        value: String(value),
        count,
        unique_users,
      })),
      ...cutOf(groups_total, rows.length),
      total_events: totalEvents,
      total_with_property: withProperty,
      ...(await warningsOf(snapshot, about, { days }, totalEvents === 0 ? names : [])),
    };
  },
};

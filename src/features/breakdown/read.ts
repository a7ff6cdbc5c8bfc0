import { type Condition, eventConditions } from "../../domain/filter";
import type { FilterItem } from "../../domain/filter-items";
import { type Days, windowOf } from "../../domain/period";
import { cutOf } from "../../reads/cut";
import { unseenEvents } from "../../reads/unseen-events";
import { viewOf } from "../../reads/view";
import type { Read } from "../../store/port";
import type { Breakdown } from "./schema";

interface BreakdownInput {
  readonly projectId: string;
  readonly days: Days;
  /** A property key, or `country`. */
  readonly property: string;
  readonly event: string | null;
  readonly limit: number;
  readonly filters?: readonly FilterItem[] | undefined;
  /** Of a share: what lies outside of them must not show. */
  readonly narrowedBy?: readonly FilterItem[];
}

/** GET /breakdown of the contract. */
export const breakdownRead: Read<BreakdownInput, Breakdown> = {
  name: "breakdown",
  isFiltered: true,
  scope: ({ projectId, days }) => ({ projectIds: [projectId], ...windowOf(days) }),
  async run(snapshot, { projectId, days, property, event, limit, filters, narrowedBy }) {
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
      total_with_property: await snapshot.eventCount(view, [...events, hasProperty]),
      ...(await unseenEvents(
        snapshot,
        viewOf(projectId, days),
        totalEvents === 0 && narrowedBy === undefined ? names : [],
        narrowedBy === undefined ? filters : [],
      )),
    };
  },
};

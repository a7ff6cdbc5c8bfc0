import type { CountRequest } from "../../../domain/counting";
import type { Condition } from "../../../domain/filter";
import type { FilteredWindow } from "../../../domain/filter-items";
import { HashAggregate } from "../aggregate/hash-aggregate";
import { aggregatesOf, type Inputs, keyOf, reachedOf, sessionsOf } from "../aggregate/plan";
import { bestGroups, type CountedGroups } from "../aggregate/ranking";
import type { Context } from "../filter/context";
import { allOf, Filter } from "../filter/filter";
import type { Identity } from "../scan/identity";
import type { Selection } from "../scan/selection";
import type { Segment } from "../segment/segment";
import { type Counted, type CountedRow, nothing } from "./counted";

/**
 * Counts events, users and sessions of each group (definitions.md, Query), in the requested order. `project` returns
 * all segments of the project: the count opens them only if it needs facts about sessions.
 */
export function countBy(
  context: Context,
  segments: readonly Segment[],
  window: FilteredWindow,
  request: CountRequest,
  project: () => readonly Segment[],
): Counted {
  if (segments.length === 0) return nothing(request);
  const identity = context.identity(segments[0].projectId);
  const selected = select(context, segments, window, request.filters ?? [], identity);
  const { sessions_within: sessionsWithin = window } = request;
  const sessions = sessionsOf(request, { context, selected, project }, [sessionsWithin]);
  const inputs: Inputs = {
    ...{ context, identity, selected, window, sessions },
    reached: reachedOf(request, { context, sessions, project }),
  };
  const { budget } = context;
  const bytesBefore = budget.bytes;
  const keys = request.group_by.map((name) => keyOf(name, inputs));
  const counted = new HashAggregate(keys, budget, {
    skipsNull: request.skip_null === true,
    groupsMax: request.groups_max,
  });
  for (const selection of selected) {
    context.check();
    counted.add(selection);
  }
  const aggregates = aggregatesOf(request, inputs);
  // Aggregates are expensive. All groups need them only if an aggregate decides the order of the groups.
  const isOrderedByAggregate = aggregates.has(request.order_by ?? request.metrics[0]);
  if (isOrderedByAggregate) counted.aggregate(aggregates);
  const { best, total } = bestGroups(counted, request, budget);
  if (!isOrderedByAggregate) counted.aggregate(aggregates, best);
  const rows = best.map((group) => rowOf(counted, group, request));
  counted.end();
  budget.giveBackTo(bytesBefore);
  return total === 0 ? nothing(request) : { rows, groups_total: total };
}

/** Returns the rows of each segment that take part; segments without such rows are left out. */
export function select(
  context: Context,
  segments: readonly Segment[],
  window: FilteredWindow,
  conditions: readonly Condition[],
  identity: Identity,
): Selection[] {
  const items = allOf(window, conditions);
  const filter = new Filter(context, items, identity, conditions.length === 0);
  return segments.flatMap((segment) => {
    const selection = filter.select(segment, window);
    return selection.isNone ? [] : [selection];
  });
}

export function rowOf(counting: CountedGroups, group: number, request: CountRequest): CountedRow {
  const row: CountedRow = {};
  request.group_by.forEach((name, position) => {
    row[name] = counting.label(group, position);
  });
  for (const metric of request.metrics) row[metric] = counting.value(group, metric);
  return row;
}

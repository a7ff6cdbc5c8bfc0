import type { CountGroup, CountRequest } from "../../../../domain/counting";
import type { FilteredWindow } from "../../../../domain/filter-items";
import { judgesSessions } from "../../../../domain/metric";
import { allTime } from "../../../../domain/period";
import type { TimeWindow } from "../../../../domain/time-window";
import { isOfSessions, isVisitorField } from "../../../../domain/visitor-field";
import type { Segment } from "../../segment/segment";
import type { Context } from "../context";
import type { Identity } from "../identity";
import type { SessionNumbers } from "../sessions/session-numbers";
import type { Sessions } from "../sessions/sessions";
import { toldBySessions } from "../sessions/told-by-sessions";
import type { Labels } from "./label";
import { labelsOf } from "./labels";
import { SessionValueLabels } from "./session-labels";

/**
 * Returns the sessions with an event in the windows, if a metric or a group of the request is about sessions: all that
 * are stored for a field of visitors. `project` holds all segments of the project.
 */
export function sessionsFor(
  { tables }: Context,
  { group_by: groupBy, metrics }: CountRequest,
  windows: readonly TimeWindow[],
  project: () => readonly Segment[],
): Sessions | null {
  if (!judgesSessions(metrics) && !groupBy.some(isOfSessions)) return null;
  return tables.sessionsOfAtLeast(
    project(),
    ...(groupBy.some(isVisitorField) ? [allTime] : windows),
  );
}

interface LabelledBy {
  readonly identity: Identity;
  readonly sessions: Sessions | null;
  readonly numbers: SessionNumbers | null;
}

/** Returns the labels of a group. */
export function groupLabels(
  name: CountGroup,
  context: Context,
  { identity, sessions, numbers }: LabelledBy,
  window: FilteredWindow,
): Labels {
  if (!isOfSessions(name)) return labelsOf(name, context, identity, numbers, window);
  const told = sessions && toldBySessions(sessions, name, identity, window.zone);
  return new SessionValueLabels(context, told);
}

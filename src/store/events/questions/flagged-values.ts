import type { FlaggedRequest, FoundFlagged } from "../../../domain/trust/found";
import { compareText } from "../../../lib/text";
import type { View } from "../../questions";
import { fromFlaggedText } from "../flagged-text";
import { type Flagged, FlaggedCounts } from "../functions/flagged-counts";
import type { OpenSnapshot } from "./open-snapshot";

/** Ids of traits have no events to be counted. */
const FLAGGED = `
  select digest, field, key, categories, length, text from flagged_value
  where project_id = :project and field <> 'traits'`;
const COUNT = `
  select flag_changes as changes,
    (select count(*) from flagged_value where project_id = project.id) as found
  from project where id = :project`;

/** The memory of a value, roughly. */
const bytesPerValue = 400;

/**
 * The flagged texts of a project are known; the events that have them are counted over the columns in which they occur.
 */
export function flaggedValues(
  snapshot: OpenSnapshot,
  view: View,
  { cleared, limit }: FlaggedRequest,
): FoundFlagged {
  const { context } = snapshot;
  const { number: project } = snapshot.project(view.projectId);
  const { changes, found } = snapshot.row<Known>(COUNT, { project }) ?? nothingKnown;
  context.budget.take(found * bytesPerValue);
  const written = found === 0 ? [] : snapshot.rows<Flagged>(FLAGGED, { project });
  const known = written.map((one) => ({ ...one, text: one.text && fromFlaggedText(one.text) }));
  const counts = new FlaggedCounts(context, known, new Set(cleared), changes);
  if (known.length > 0) {
    for (const segment of snapshot.segmentsWithin(view)) counts.add(segment, view);
  }
  const values = counts
    .values()
    .sort(
      (a, b) =>
        b.events - a.events ||
        compareText(a.field, b.field) ||
        compareText(a.key, b.key) ||
        compareText(a.digest, b.digest),
    );
  return {
    values: values.slice(0, limit),
    sums: counts.sums(),
    by_category: counts.byCategory(),
    days: counts.days(),
  };
}

interface Known {
  readonly changes: number;
  readonly found: number;
}
const nothingKnown: Known = { changes: 0, found: 0 };

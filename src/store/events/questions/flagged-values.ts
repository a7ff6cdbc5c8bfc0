import type { FlaggedRequest, FoundFlagged } from "../../../domain/trust/found";
import { compareText } from "../../../lib/text";
import type { View } from "../../questions";
import { fromFlaggedText } from "../flagged-text";
import { type Flagged, FlaggedCounts } from "../functions/flagged-counts";
import type { OpenSnapshot } from "./open-snapshot";

/** Selects the flagged texts, without those in traits, as traits have no events to count. */
const FLAGGED = `
  select digest, field, key, categories, length, text from flagged_value
  where project_id = :project and field <> 'traits'`;
const COUNT = `
  select flag_changes as changes,
    (select count(*) from flagged_value where project_id = project.id) as texts
  from project where id = :project`;

/** An estimate of the memory that a value takes. */
const bytesPerValue = 400;

/** Loads the flagged texts of a project, and counts the events that have them over the columns in which they occur. */
export function flaggedValues(
  snapshot: OpenSnapshot,
  view: View,
  { cleared, limit }: FlaggedRequest,
): FoundFlagged {
  const { context } = snapshot;
  const { number: project } = snapshot.project(view.projectId);
  const { changes, texts } = snapshot.row<FlaggedState>(COUNT, { project }) ?? noFlags;
  context.budget.take(texts * bytesPerValue);
  const rows = texts === 0 ? [] : snapshot.rows<Flagged>(FLAGGED, { project });
  const flagged = rows.map((one) => ({ ...one, text: one.text && fromFlaggedText(one.text) }));
  const counts = new FlaggedCounts(context, flagged, new Set(cleared), changes);
  if (flagged.length > 0) {
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

interface FlaggedState {
  readonly changes: number;
  readonly texts: number;
}
const noFlags: FlaggedState = { changes: 0, texts: 0 };

import Type, { type Static } from "typebox";
import { isoDate } from "../domain/event";
import { Count, IsoDate } from "../domain/fields";
import { type KnownDays, shownDays, spanOf } from "../domain/shown-days";
import type { Snapshot } from "../store/questions";

/** The dates of a read's window that GET /history answers: a pointer, and no numbers. */
export const ImportedBeside = Type.Optional(
  Type.Object(
    { from: IsoDate, to: IsoDate, days: Count },
    { description: "Dates of the period that GET /history has sums of. No number here has them." },
  ),
);
type ImportedBeside = Static<typeof ImportedBeside>;

export async function importedBeside(
  snapshot: Snapshot,
  projectId: string,
  known: KnownDays,
): Promise<{ readonly imported?: ImportedBeside }> {
  const shown = shownDays(known.days, spanOf(known, await snapshot.storedEvents(projectId)));
  const [first] = shown;
  const last = shown.at(-1);
  if (first === undefined || last === undefined) return {};
  return { imported: { from: isoDate(first.day), to: isoDate(last.day), days: shown.length } };
}

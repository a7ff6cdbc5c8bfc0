import { type DayRow, dayCounts } from "../../../src/domain/day-row";
import { isoDate } from "../../../src/domain/event";
import type { TestApp } from "./app";

/** A row of a date with the same number in each column. */
export const dayRow = (
  day: number,
  count: number,
  said: Partial<Pick<DayRow, "dimension" | "value">> = {},
): DayRow => ({
  ...{ date: isoDate(day), dimension: "total", value: "", ...said },
  ...(Object.fromEntries(dayCounts.map((name) => [name, count])) as Omit<
    DayRow,
    "date" | "dimension" | "value"
  >),
});

/** Stores days of a project as an import does. */
export function importDays(
  { deps: { control } }: TestApp,
  projectId: string,
  importId: string,
  rows: readonly DayRow[],
): void {
  control.days.put(control.days.begin(projectId, { importId, kind: "plausible", part: "" }), rows);
  control.days.show(projectId, importId);
}

import type { DayDimension, DayRow } from "../../../domain/day-row";
import { DiskLookup } from "../../../store/shared/scratch/disk-lookup";
import { idIn, numberIn, textIn } from "../../foreign/json";
import { countryOf, systemName } from "../../foreign/names";
import type { JsonObject } from "../../properties";
import { countsOf } from "../day-counts";
import type { OpenedFile } from "../file/opened-file";
import type { Importer, RowContent } from "../importer";
import { listRows } from "../list";
import { unreadable, unsupportedRow } from "../table";
import { dateIn, isDate, timeIn } from "../times";

/** GoatCounter's archive: sums by the hour or the day, and lists of what they are of. */
export const goatcounterArchive: Importer = {
  kind: "goatcounter",
  becomes: "days",
  // GoatCounter counts a page once in a session.
  caveats: ["first_views_only"],
  recognizes: ({ isArchive, names }) =>
    isArchive && ["info.json", "hit_stats.jsonl"].every((name) => names.includes(name)),
  async *read(file, { timeZone }) {
    const names = new DiskLookup(file.scratchPath);
    try {
      for (const list of lists) await noteNames(file, list, names);
      for (const entry of file.entries) {
        const stats = Object.hasOwn(statistics, entry.name) ? statistics[entry.name] : undefined;
        if (stats === undefined) continue;
        yield* listRows(entry, (row) => stats(row, { names, timeZone }));
      }
    } finally {
      names.close();
    }
  },
};

/** The lists that give ids a meaning. */
const lists = ["paths", "refs", "browsers", "systems"] as const;
type List = (typeof lists)[number];

async function noteNames(file: OpenedFile, list: List, names: DiskLookup): Promise<void> {
  for (const entry of file.entries) {
    if (entry.name !== `${list}.jsonl`) continue;
    const rows = listRows(entry, (named) => {
      const id = idIn(named.id);
      if (id !== null) names.add(`${list} ${id}`, JSON.stringify(named));
      return unsupportedRow;
    });
    for await (const _ of rows);
  }
}

interface Meanings {
  readonly names: DiskLookup;
  readonly timeZone: string;
}
type ReadStatistics = (row: JsonObject, meanings: Meanings) => RowContent;

/** The tables of sums by their names. Sizes and languages are of no dimension of ours. */
const statistics: Readonly<Record<string, ReadStatistics>> = {
  "hit_stats.jsonl": hits,
  "browser_stats.jsonl": (row, meanings) =>
    dayOf(row, "browser", nameOf("browsers", row.browser_id, "name", meanings)),
  "system_stats.jsonl": (row, meanings) =>
    dayOf(row, "os", systemName(nameOf("systems", row.system_id, "name", meanings))),
  "location_stats.jsonl": (row) => dayOf(row, "country", countryOf(textIn(row.location))),
  "size_stats.jsonl": () => unsupportedRow,
  "language_stats.jsonl": () => unsupportedRow,
};

function named(list: List, id: unknown, { names }: Meanings): JsonObject | null {
  const [text] = names.find(`${list} ${idIn(id)}`);
  return text === undefined ? null : JSON.parse(text);
}
const nameOf = (list: List, id: unknown, field: string, meanings: Meanings): string | null =>
  textIn(named(list, id, meanings)?.[field]);

/** Views of a page, or occurrences of an event, within an hour and from one referrer. */
function hits(row: JsonObject, meanings: Meanings): RowContent {
  const timeMs = timeIn(textIn(row.hour), meanings.timeZone);
  const path = named("paths", row.path_id, meanings);
  const value = textIn(path?.path);
  const count = countIn(row);
  if (value === null || count === null) return unreadable;
  if (!Number.isFinite(timeMs)) return { kind: "refused", code: "INVALID_TIMESTAMP" };
  const date = dateIn(timeMs, meanings.timeZone);
  if (path?.event === true || path?.event === 1) {
    return {
      kind: "days",
      days: [{ date, dimension: "event", value, ...countsOf({ events: count }) }],
    };
  }
  const counts = countsOf({ page_views: count });
  const days: DayRow[] = [
    { date, dimension: "page", value, ...counts },
    { date, dimension: "total", value: "", ...counts },
  ];
  const referrer = nameOf("refs", row.ref_id, "ref", meanings);
  if (referrer !== null) days.push({ date, dimension: "referrer", value: referrer, ...counts });
  return { kind: "days", days };
}

/** Views of a date by browser, system or country. */
function dayOf(row: JsonObject, dimension: DayDimension, value: string | null): RowContent {
  const date = textIn(row.day);
  const count = countIn(row);
  if (count === null) return unreadable;
  if (!isDate(date)) return { kind: "refused", code: "INVALID_TIMESTAMP" };
  if (value === null) return unsupportedRow;
  const counts = countsOf({ page_views: count });
  return { kind: "days", days: [{ date, dimension, value, ...counts }] };
}

function countIn({ count }: JsonObject): number | null {
  const number = numberIn(count);
  return number !== null && Number.isSafeInteger(number) && number >= 0 ? number : null;
}

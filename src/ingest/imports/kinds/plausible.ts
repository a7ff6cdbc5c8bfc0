import type { DayCounts, DayDimension, DayRow } from "../../../domain/day-row";
import { countryOf, deviceName, systemName } from "../../foreign/names";
import { countsOf } from "../day-counts";
import { brokenFile, fileWithoutDates } from "../file/broken";
import type { FileEntry, FileSample } from "../file/opened-file";
import type { Importer, RowContent } from "../importer";
import { type Columns, type Picked, tableRows, unreadable } from "../table";
import { isDate } from "../times";

const utmColumns = [
  ...(["utm_source", "utm_medium", "utm_campaign", "utm_content", "utm_term"] as const),
] as const;
const valueColumns = [
  ...(["page", "entry_page", "exit_page", "source", "referrer", ...utmColumns] as const),
  ...(["country", "device", "browser", "operating_system", "name"] as const),
] as const;
const countColumns = [
  ...(["visitors", "visits", "entrances", "exits", "pageviews", "events", "bounces"] as const),
  ...(["visit_duration", "total_time_on_page", "time_on_page"] as const),
] as const;
const columnNames = ["date", ...valueColumns, ...countColumns] as const;
type Row = Picked<(typeof columnNames)[number]>;

/** A table of an export: a row a date and value, or several where it has more columns of values. */
interface DayTable {
  /** The column by which a table is known, whatever its name. */
  readonly column: string;
  /** The column of visits. */
  readonly visits: "visits" | "entrances" | "exits";
  readonly values: (row: Row) => readonly (readonly [DayDimension, string | null])[];
}

/** Every table by its name. */
const tables: Readonly<Record<string, DayTable>> = {
  pages: { column: "page", visits: "visits", values: ({ page }) => [["page", page]] },
  entry_pages: {
    ...{ column: "entry_page", visits: "entrances" },
    values: (row) => [["entry_page", row.entry_page]],
  },
  exit_pages: {
    ...{ column: "exit_page", visits: "exits" },
    values: (row) => [["exit_page", row.exit_page]],
  },
  sources: {
    ...{ column: "source", visits: "visits" },
    // A visit without a source is one for which our reads have a name.
    values: (row) => [
      ["source", row.source ?? direct],
      ["referrer", row.referrer],
      ...utmColumns.map((name) => [name, row[name]] as const),
    ],
  },
  locations: {
    ...{ column: "country", visits: "visits" },
    values: (row) => [["country", countryOf(row.country)]],
  },
  devices: {
    ...{ column: "device", visits: "visits" },
    values: (row) => [["device", deviceName(row.device)]],
  },
  browsers: {
    ...{ column: "browser", visits: "visits" },
    values: (row) => [["browser", row.browser]],
  },
  operating_systems: {
    ...{ column: "operating_system", visits: "visits" },
    values: (row) => [["os", systemName(row.operating_system)]],
  },
  custom_events: { column: "name", visits: "visits", values: ({ name }) => [["event", name]] },
  // Its columns are those that others have too, so it comes last.
  visitors: { column: "visitors", visits: "visits", values: () => [["total", ""]] },
};

/** `imported_entry_pages_20250901_20250903.csv`, without the dates, and without what stands before the name. */
const nameForm = /^(?:imported_)?([a-z_]+?)(?:_\d{8}_\d{8})?\.csv$/i;
const tableNamed = (name: string): DayTable | null => {
  const table = nameForm.exec(name)?.[1]?.toLowerCase() ?? "";
  return Object.hasOwn(tables, table) ? (tables[table] ?? null) : null;
};

/** Plausible: the tables of its export, as an archive or one of them. */
export const plausible: Importer = {
  kind: "plausible",
  becomes: "days",
  recognizes: ({ isArchive, names, head }: FileSample) =>
    isArchive
      ? names.some((name) => tableNamed(name) !== null)
      : head.format === "csv" && head.columns.includes("date") && tableWith(head.columns) !== null,
  async *read({ isArchive, entries }) {
    const known = isArchive ? entries.filter(({ name }) => tableNamed(name) !== null) : entries;
    checkNames(known);
    for (const entry of known) {
      yield* tableRows(entry, (columns) => rowReader(entry, columns));
    }
  },
};

/** The same table twice would count its days twice. */
function checkNames(entries: readonly FileEntry[]): void {
  const names = entries.map(({ name }) => name.toLowerCase());
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) {
    throw brokenFile(
      `The archive has two tables ${JSON.stringify(twice)}. Import them one by one.`,
    );
  }
}

const tableWith = (columns: readonly string[]): DayTable | null =>
  Object.values(tables).find(
    ({ column }) => columns.includes(column) && (column !== "name" || columns.includes("events")),
  ) ?? null;

function rowReader(
  { name }: FileEntry,
  columns: Columns,
): (cells: readonly string[]) => RowContent {
  const table = tableNamed(name) ?? tableWith(columns.names);
  if (!columns.has("date") || columns.has("bounce_rate")) throw isOfDashboard;
  if (table === null || !(columns.has(table.column) && columns.has("visitors"))) {
    throw brokenFile(
      `The table ${JSON.stringify(name)} has other columns than Plausible exports.`,
      1,
    );
  }
  const pick = columns.pick(columnNames);
  return (cells) => {
    const row = pick(cells);
    const { date } = row;
    if (!isDate(date)) return { kind: "refused", code: "INVALID_TIMESTAMP" };
    const counts = countsIn(row, table);
    if (counts === null) return unreadable;
    const days: DayRow[] = [];
    for (const [dimension, value] of table.values(row)) {
      if (value !== null) days.push({ date, dimension, value, ...counts });
    }
    return { kind: "days", days };
  };
}

/** The counts of a row; null where one is no count. */
function countsIn(row: Row, { visits }: DayTable): DayCounts | null {
  const texts = countColumns.map((name) => row[name]);
  if (texts.some((text) => text !== null && !/^\d{1,15}$/.test(text))) return null;
  const count = (text: string | null): number | null => (text === null ? null : Number(text));
  return countsOf({
    visitors: count(row.visitors),
    visits: count(row[visits]),
    page_views: count(row.pageviews),
    events: count(row.events),
    bounces: count(row.bounces),
    seconds: count(row.visit_duration ?? row.total_time_on_page ?? row.time_on_page),
  });
}

const direct = "Direct";

const isOfDashboard = fileWithoutDates(
  "The archive has tables without dates, as Plausible's dashboard downloads them. Export the site under Settings, " +
    "Imports & Exports, and upload that file.",
);

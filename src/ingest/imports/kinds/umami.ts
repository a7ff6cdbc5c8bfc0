import { DiskLookup } from "../../../store/shared/scratch/disk-lookup";
import type { ForeignEvent, ForeignPage } from "../../foreign/item";
import { numberIn } from "../../foreign/json";
import { countryOf, deviceName, systemName } from "../../foreign/names";
import type { JsonObject } from "../../properties";
import { eventRow } from "../event-row";
import type { OpenedFile } from "../file/opened-file";
import type { ImportedRow, Importer, ReadOptions, RowContent } from "../importer";
import { type Columns, type Picked, tableRows, unreadable, unsupportedRow } from "../table";
import { timeIn } from "../times";

const eventsName = "website_event.csv";
const dataName = "event_data.csv";

/** Umami: its table of events alone, or its archive, which has the data of events in a table of their own. */
export const umami: Importer = {
  kind: "umami",
  becomes: "events",
  recognizes: ({ isArchive, names, head }) =>
    isArchive
      ? names.includes(eventsName)
      : head.format === "csv" &&
        ["session_id", "event_type", "created_at"].every((name) => head.columns.includes(name)),
  async *read(file, options) {
    const data = new DiskLookup(file.scratchPath);
    try {
      yield* dataRows(file, data);
      for (const entry of file.entries) {
        if (file.isArchive && entry.name !== eventsName) continue;
        yield* tableRows(entry, (columns) => eventReader(columns, data, options));
      }
    } finally {
      data.close();
    }
  },
};

/** Notes the data of events by the event's id. Its rows are no events: only one that cannot be read is told. */
async function* dataRows(file: OpenedFile, data: DiskLookup): AsyncGenerator<ImportedRow[]> {
  for (const entry of file.entries) {
    if (entry.name !== dataName) continue;
    for await (const rows of tableRows(entry, (columns) => dataReader(columns, data))) {
      const refused = rows.filter(({ kind }) => kind === "refused");
      if (refused.length > 0) yield refused;
    }
  }
}

const dataColumns = [
  ...(["website_event_id", "event_id", "data_key", "event_key"] as const),
  ...(["string_value", "number_value", "date_value", "data_type"] as const),
] as const;

function dataReader(columns: Columns, data: DiskLookup): (cells: readonly string[]) => RowContent {
  const pick = columns.pick(dataColumns);
  return (cells) => {
    const row = pick(cells);
    const id = row.website_event_id ?? row.event_id;
    const key = row.data_key ?? row.event_key;
    if (id === null || key === null) return unreadable;
    data.add(id, JSON.stringify([key, dataValueOf(row)]));
    return unsupportedRow;
  };
}

/** Types are numbers: 2 is a number, 3 a boolean, and the others are texts. */
function dataValueOf(row: Picked<(typeof dataColumns)[number]>): unknown {
  const { data_type: type, number_value: number, string_value: text, date_value: date } = row;
  if (type === "2") return numberIn(number ?? text);
  if (type === "3") return text === null ? numberIn(number) === 1 : text === "true";
  return text ?? date;
}

const eventColumns = [
  ...(["event_id", "session_id", "visit_id", "distinct_id", "event_type", "event_name"] as const),
  ...(["created_at", "country", "hostname", "url_path", "url_query", "page_title"] as const),
  ...(["utm_source", "utm_medium", "utm_campaign", "utm_content", "utm_term"] as const),
  ...(["referrer_domain", "referrer_path", "browser", "os", "device"] as const),
  ...(["screen", "language", "tag"] as const),
] as const;
type EventRow = Picked<(typeof eventColumns)[number]>;

function eventReader(
  columns: Columns,
  data: DiskLookup,
  { timeZone, nowMs }: ReadOptions,
): (cells: readonly string[]) => RowContent {
  const pick = columns.pick(eventColumns);
  return (cells) => {
    const row = pick(cells);
    const isPage = row.event_type === "1";
    if (!isPage && row.event_type !== "2") return unsupportedRow;
    const item: ForeignEvent = {
      kind: "event",
      name: isPage ? "page_view" : (row.event_name ?? ""),
      page: pageOf(row),
      facts: factsOf(row),
      own: row.event_id === null ? {} : dataOf(data.find(row.event_id)),
      agent: null,
      userId: row.distinct_id ?? row.session_id,
      session: { id: row.visit_id ?? row.session_id },
      time: { timestamp: timeIn(row.created_at, timeZone), sentAt: null },
      eventId: row.event_id,
    };
    return eventRow({ item, country: countryOf(row.country) }, nowMs);
  };
}

const pageOf = (row: EventRow): ForeignPage => ({
  ...{ url: row.url_path, host: row.hostname, query: row.url_query, campaign: row },
  campaignComesFirst: true,
  referrer:
    row.referrer_domain === null
      ? null
      : `https://${row.referrer_domain}${row.referrer_path ?? ""}`,
});

const factsOf = (row: EventRow): JsonObject => ({
  title: row.page_title,
  screen: row.screen,
  language: row.language,
  tag: row.tag,
  browser: browserName(row.browser),
  os: systemName(row.os),
  device: deviceName(row.device),
});

function dataOf(pairs: readonly string[]): JsonObject {
  const data: JsonObject = {};
  for (const pair of pairs) {
    const [key, value]: readonly [string, unknown] = JSON.parse(pair);
    if (key !== "__proto__") data[key] = value;
  }
  return data;
}

const browsers: Readonly<Record<string, string>> = {
  chrome: "Chrome",
  crios: "Chrome",
  "chromium-webview": "Chrome",
  edge: "Edge",
  "edge-chromium": "Edge",
  "edge-ios": "Edge",
  firefox: "Firefox",
  fxios: "Firefox",
  safari: "Safari",
  ios: "Safari",
  "ios-webview": "Safari",
  opera: "Opera",
  "opera-mini": "Opera",
};

function browserName(text: string | null): string | null {
  if (text === null) return null;
  return Object.hasOwn(browsers, text) ? (browsers[text] ?? "Unknown") : "Unknown";
}

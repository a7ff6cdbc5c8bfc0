import type { ForeignEvent, ForeignPage } from "../../foreign/item";
import { countryOf, nameAndVersion, systemName } from "../../foreign/names";
import type { JsonObject } from "../../properties";
import { eventRow } from "../event-row";
import type { FileSample } from "../file/opened-file";
import type { Importer, ReadOptions, RowContent } from "../importer";
import { type Columns, type Picked, tableRows, tablesIn, unsupportedRow } from "../table";
import { timeIn } from "../times";

/** GoatCounter's table of page views. The version of its form stands in front of the first column's name. */
export const goatcounterTable: Importer = {
  kind: "goatcounter",
  becomes: "events",
  recognizes: ({ head }: FileSample) =>
    head.format === "csv" && head.columns.some((name) => name === "1Path" || name === "2Path"),
  async *read(file, options) {
    for (const entry of tablesIn(file)) {
      yield* tableRows(entry, (columns) => rowReader(columns, options));
    }
  },
};

const columnNames = [
  ...(["1Path", "2Path", "Title", "Event", "Bot", "Session", "Date", "Location"] as const),
  ...(["Browser", "System", "Referrer", "Referrer scheme", "Screen size"] as const),
] as const;
type Row = Picked<(typeof columnNames)[number]>;

function rowReader(
  columns: Columns,
  { timeZone, nowMs }: ReadOptions,
): (cells: readonly string[]) => RowContent {
  const pick = columns.pick(columnNames);
  // In the first version this column has the whole agent.
  const hasAgents = columns.has("1Path");
  return (cells) => {
    const row = pick(cells);
    if (row.Bot !== null && row.Bot !== "0") return unsupportedRow;
    const path = row["2Path"] ?? row["1Path"] ?? "";
    const isEvent = row.Event === "true" || row.Event === "1";
    const item: ForeignEvent = {
      kind: "event",
      name: isEvent ? path : "page_view",
      page: pageOf(row, isEvent ? null : path),
      facts: factsOf(row, hasAgents),
      own: {},
      agent: hasAgents ? row.Browser : null,
      ...{ userId: row.Session, session: { id: row.Session }, eventId: null },
      time: { timestamp: timeIn(row.Date, timeZone), sentAt: null },
    };
    return eventRow({ item, country: countryOf(row.Location) }, nowMs);
  };
}

function pageOf(row: Row, url: string | null): ForeignPage {
  const { Referrer: from, "Referrer scheme": scheme } = row;
  if (from === null) return { url };
  if (scheme === "h") return { url, referrer: `https://${from}` };
  return scheme === "c"
    ? { url, campaign: { utm_campaign: from }, campaignComesFirst: true }
    : { url };
}

function factsOf(row: Row, hasAgents: boolean): JsonObject {
  const { Referrer: from, "Referrer scheme": scheme } = row;
  const facts: JsonObject = { title: row.Title, screen: screenOf(row["Screen size"]) };
  if (scheme === "g" || scheme === "o") facts.referrer_name = from;
  if (hasAgents) return facts;
  [facts.browser, facts.browser_version] = nameAndVersion(row.Browser);
  facts.os = systemName(nameAndVersion(row.System)[0]);
  return facts;
}

/** Width, height and scale: `390,844,1`. */
function screenOf(size: string | null): string | null {
  const [, width, height] = /^([1-9]\d{0,5}),([1-9]\d{0,5})(?:,|$)/.exec(size ?? "") ?? [];
  return width === undefined ? null : `${width}x${height}`;
}

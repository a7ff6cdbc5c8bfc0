import type { ImportKind } from "../../domain/import";
import { requireOneForm } from "./archive";
import { brokenFile, fileWithoutDates } from "./file/broken";
import { headsOf, samplesOf } from "./file/head";
import type { FileHead, OpenedFile } from "./file/opened-file";
import type { Importer } from "./importer";
import { eventList, eventTable } from "./kinds/events";
import { ga4 } from "./kinds/ga4";
import { goatcounterTable } from "./kinds/goatcounter";
import { goatcounterArchive } from "./kinds/goatcounter-archive";
import { matomo } from "./kinds/matomo";
import { mixpanel } from "./kinds/mixpanel";
import { plausible } from "./kinds/plausible";
import { posthog } from "./kinds/posthog";
import { sightline } from "./kinds/sightline";
import { umami } from "./kinds/umami";

/** Every importer: the next one is a file among the kinds, and a line here. A file is of the first that knows it. */
const importers: readonly Importer[] = [
  sightline,
  posthog,
  mixpanel,
  ga4,
  matomo,
  umami,
  goatcounterArchive,
  goatcounterTable,
  plausible,
  eventList,
  eventTable,
];

/**
 * Finds the importer of a file by its content; of a kind, if the uploader named one. Throws IMPORT_NO_DATES for a
 * table without dates, and IMPORT_BROKEN for a file of no kind, of another one, or of several.
 */
export async function importerOf(file: OpenedFile, kind: ImportKind | null): Promise<Importer> {
  const heads = await headsOf(file);
  // A note may lie before the exports in an archive.
  const known = samplesOf(file, heads).flatMap((sample) =>
    importers.filter((importer) => importer.recognizes(sample)),
  );
  const importer = known.find((one) => kind === null || one.kind === kind);
  if (importer !== undefined) {
    await requireOneForm(file, importer, importers);
    return importer;
  }
  if (hasNoDates(heads)) throw noDates;
  const [other] = known;
  if (other !== undefined) {
    throw brokenFile(`The file is of the kind "${other.kind}". Send that kind, or leave it out.`);
  }
  throw kind === null ? ofNoKind : brokenFile(`The file is not an export of the kind "${kind}".`);
}

/** Tells whether nothing in a file names a date: it has tables of sums alone, or events without times. */
function hasNoDates(heads: readonly FileHead[]): boolean {
  const tables = heads.flatMap((head) =>
    head.format === "csv" ? [recordsOfTable([head.columns, ...head.rows])] : [],
  );
  const filled = tables.filter(({ length }) => length > 0);
  if (filled.length > 0) return !filled.flat(2).some(isOfDate);
  const records = heads.flatMap((head) => (head.format === "json" ? head.records : []));
  return records.length > 0 && records.every((one) => "event" in one && !("timestamp" in one));
}

/** The records without what reports write above their tables: comments, titles and empty lines. */
const recordsOfTable = (records: readonly (readonly string[])[]): readonly (readonly string[])[] =>
  records.filter(({ 0: first = "", length }) => length > 1 && !first.startsWith("#"));

/** A date or a time, or the name of a column of them. */
const isOfDate = (text: string): boolean =>
  /^(?:date|day|datum|time|timestamp|hour|week|month|year|created_at|event_timestamp)$/i.test(
    text,
  ) ||
  /^(?:19|20)\d\d[-/.]?(?:0[1-9]|1[0-2])(?:[-/.]?(?:0[1-9]|[12]\d|3[01]))?(?:$|[T ])/.test(text) ||
  /^\d{1,2}[./]\d{1,2}[./](?:19|20)\d\d/.test(text) ||
  /^1\d{9}(?:\d{3})?$/.test(text);

const noDates = fileWithoutDates(
  "The file has sums without dates, as dashboards download them. Export the events, or the sums of each day.",
);
const ofNoKind = brokenFile(
  "The file is of no kind that this server imports, or it is damaged. Name its kind to see what is missing.",
);

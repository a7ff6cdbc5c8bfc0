import { afterAll, describe, expect, test } from "bun:test";
import { type DayRow, dayCounts } from "../../src/domain/day-row";
import type { ImportedRow } from "../../src/ingest/imports/importer";
import { Files, openAt, outcomesOf, type ReadOptions, rowsAt, samplePath } from "./files";
import { zip } from "./zip";

const files = new Files();
afterAll(() => files.remove());

/** The counts of a dimension by date and value, added up as an import stores them; those that are null left out. */
function sums(rows: readonly ImportedRow[], dimension: DayRow["dimension"]) {
  const found: Record<string, Record<string, number>> = {};
  for (const row of rows) {
    for (const day of row.kind === "days" ? row.days : []) {
      if (day.dimension !== dimension) continue;
      const key = `${day.date} ${day.value}`.trim();
      const sum = found[key] ?? {};
      found[key] = sum;
      for (const name of dayCounts) {
        if (day[name] !== null) sum[name] = (sum[name] ?? 0) + day[name];
      }
    }
  }
  return found;
}

describe("Plausible", () => {
  test("the tables of an export, each with the counts that it has", async () => {
    expect(await openAt(samplePath("plausible.zip"))).toMatchObject({
      ...{ kind: "plausible", becomes: "days", caveats: [] },
    });
    const rows = await rowsAt(samplePath("plausible.zip"));
    expect(sums(rows, "total")).toEqual({
      "2025-09-01": { visitors: 64, visits: 72, page_views: 198, bounces: 49, seconds: 56 },
      "2025-09-02": { visitors: 134, visits: 141, page_views: 357, bounces: 39, seconds: 29_625 },
      "2025-09-03": { visitors: 169, visits: 178, page_views: 369, bounces: 13, seconds: 20_482 },
    });
    expect(sums(rows, "page")['2025-09-01 /preise, "neu"']).toEqual({
      ...{ visitors: 21, visits: 8, page_views: 15, seconds: 10 },
    });
    expect(sums(rows, "entry_page")["2025-09-01 /"]).toMatchObject({ visits: 72, bounces: 49 });
    expect(sums(rows, "exit_page")["2025-09-01 /"]).toMatchObject({ visits: 72, seconds: 56 });
    expect(sums(rows, "source")["2025-09-01 Google"]).toMatchObject({ visitors: 6, visits: 20 });
    expect(sums(rows, "source")["2025-09-01 Direct"]).toMatchObject({ visitors: 37, visits: 46 });
    expect(sums(rows, "referrer")["2025-09-01 google.com"]).toMatchObject({ visitors: 6 });
    expect(sums(rows, "utm_campaign")["2025-09-02 fr"]).toMatchObject({ visits: 58 });
    expect(sums(rows, "country")["2025-09-02 US"]).toMatchObject({ visits: 14, bounces: 0 });
    expect(sums(rows, "device")["2025-09-01 desktop"]).toMatchObject({ visits: 72 });
    expect(sums(rows, "event")["2025-09-02 Kauf"]).toEqual({ visitors: 9, events: 17 });
  });

  test("older columns, folders, tables without `imported_`, and one table alone", async () => {
    const pages =
      "date,hostname,page,visitors,pageviews,exits,time_on_page\n2022-01-01,a,/x,1,2,3,40\n";
    const systems =
      "date,operating_system,visitors,visits\n2022-01-01,Mac,5,6\n2022-01-01,GNU/Linux,1,1\n";
    const rows = await files.rows(
      zip([
        { name: "stats/pages.csv", content: pages },
        { name: "stats/operating_systems_20220101_20220131.csv", content: systems },
        { name: "stats/notes.txt", content: "by hand" },
        { name: "__MACOSX/stats/._pages.csv", content: "x" },
      ]),
    );
    expect(sums(rows, "page")).toEqual({
      "2022-01-01 /x": { visitors: 1, page_views: 2, seconds: 40 },
    });
    expect(sums(rows, "os")).toEqual({
      "2022-01-01 macOS": { visitors: 5, visits: 6 },
      "2022-01-01 Linux": { visitors: 1, visits: 1 },
    });
    expect(sums(await files.rows(systems), "os")).toEqual(sums(rows, "os"));
  });

  test("a date that does not exist and a count that is none are refused", async () => {
    const rows = await files.rows(`date,visitors,visits
2025-02-29,1,1
2025-02-28,-1,1
2025-02-28,1.5,1
2025-02-28,1,1
`);
    expect(outcomesOf(rows)).toEqual([
      ...["INVALID_TIMESTAMP", "INVALID_BODY", "INVALID_BODY", "days"],
    ]);
  });

  test("the same table twice would be counted twice", async () => {
    const content = "date,page,visitors\n2025-01-01,/a,1\n";
    const twice = zip([
      { name: "old/pages.csv", content },
      { name: "new/pages.csv", content },
    ]);
    await expect(files.rows(twice)).rejects.toThrow(
      expect.objectContaining({
        code: "IMPORT_BROKEN",
        message: expect.stringContaining("pages.csv"),
      }),
    );
  });
});

describe("GoatCounter's archive", () => {
  const read = (options: ReadOptions = {}) => rowsAt(samplePath("goatcounter-json.zip"), options);

  test("sums by the hour become days of the zone; views and events apart", async () => {
    expect(await openAt(samplePath("goatcounter-json.zip"))).toMatchObject({
      ...{ kind: "goatcounter", becomes: "days", caveats: ["first_views_only"] },
    });
    const rows = await read();
    expect(sums(rows, "total")["2025-09-01"]).toEqual({ page_views: 78 });
    expect(sums(rows, "page")).toMatchObject({
      ...{ "2025-09-01 /": { page_views: 73 }, "2025-09-01 /preise": { page_views: 5 } },
    });
    expect(sums(rows, "event")["2025-09-02 klick"]).toEqual({ events: 17 });
    expect(sums(rows, "referrer")["2025-09-03 Google"]).toEqual({ page_views: 3 });
    expect(sums(rows, "browser")["2025-09-01 Chrome"]).toEqual({ page_views: 2 });
    expect(sums(rows, "country")["2025-09-01 DE"]).toEqual({ page_views: 2 });
    // It was 01:00 in Berlin.
    expect(sums(await read({ timeZone: "Europe/Berlin" }), "page")).toMatchObject({
      "2025-09-02 /preise": { page_views: 5 },
    });
  });
});

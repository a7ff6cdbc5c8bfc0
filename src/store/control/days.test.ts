import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type DayRow, daySumsBytesMax, dayValueCharsMax } from "../../domain/day-row";
import { isoDate } from "../../domain/event";
import { type Control, openControl } from "./control";
import { account, project } from "./tables";

let folder: string;
let control: Control;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "sightline-days-"));
  control = openControl({ dataDir: folder, identitySecret: "secret" });
  const owner = { id: "acct_1", email: "a@example.com", passwordHash: "", tier: "pro" } as const;
  const rights = { complimentary: false, isAdmin: false, createdAtMs: 0 };
  control.db
    .insert(account)
    .values({ ...owner, ...rights })
    .run();
  for (const id of ["proj_1", "proj_2"]) {
    const site = { allowedOrigins: "*", primaryDomain: id, createdAtMs: 0 };
    control.db
      .insert(project)
      .values({ id, accountId: "acct_1", name: id, token: id, ...site })
      .run();
  }
});
afterEach(() => {
  control.close();
  rmSync(folder, { recursive: true });
});

const row = (day: number, said: Partial<DayRow> = {}): DayRow => ({
  ...{ date: isoDate(day), dimension: "total", value: "" },
  ...{ visitors: 1, visits: 2, page_views: 3, events: 4, bounces: null, seconds: 5 },
  ...said,
});
const imported = (importId: string, days: readonly number[], part = ""): number => {
  const id = control.days.begin("proj_1", { importId, kind: "plausible", part });
  control.days.put(
    id,
    days.map((day) => row(day)),
  );
  return id;
};
const daysOf = (id = "proj_1") =>
  control.days.ofProject(id).map(({ day, importId }) => `${day} ${importId}`);
const version = () => control.dataVersions.ofProject("proj_1").changes;

test("the days of an import are seen once it is shown, and a date belongs to the first", () => {
  const before = version();
  const first = imported("imp_1", [10, 11]);
  expect([daysOf(), version()]).toEqual([[], before]);
  expect(control.days.show("proj_1", "imp_1")).toBe(2);
  imported("imp_2", [11, 12]);
  expect(control.days.show("proj_1", "imp_2")).toBe(1);
  expect(daysOf()).toEqual(["10 imp_1", "11 imp_1", "12 imp_2"]);
  expect(version()).toBe(before + 3);
  expect(control.days.sums(first, "total", 11, 12)).toEqual([
    {
      day: 11,
      sums: [
        {
          ...{ value: "", visitors: 1, visits: 2, page_views: 3 },
          ...{ events: 4, bounces: null, seconds: 5 },
        },
      ],
    },
  ]);
  expect(daysOf("proj_2")).toEqual([]);
});

test("a removed import takes its days along, and no others", () => {
  imported("imp_1", [10, 11]);
  imported("imp_1", [12], "imp_of_elsewhere");
  control.days.show("proj_1", "imp_1");
  imported("imp_2", [13]);
  control.days.show("proj_1", "imp_2");
  const before = version();
  expect(control.days.remove("imp_1")).toBe(3);
  expect(daysOf()).toEqual(["13 imp_2"]);
  expect(version()).toBe(before + 3);
  expect(control.days.remove("imp_1")).toBe(0);
});

test("days of retention in a file stay days of retention", () => {
  const id = control.days.begin("proj_1", { importId: "imp_1", kind: "retention", part: "" });
  control.days.put(id, [row(10)]);
  imported("imp_1", [10, 11], "imp_9");
  expect(control.days.show("proj_1", "imp_1")).toBe(3);
  const days = control.days.ofProject("proj_1");
  expect(days.map(({ day, isRetention }) => [day, isRetention])).toEqual([
    [10, false],
    [10, true],
    [11, false],
  ]);
});

test("retention folds a date once, beside an import's days of it", () => {
  imported("imp_1", [10]);
  control.days.show("proj_1", "imp_1");
  control.days.fold("proj_1", 10, [row(10), row(10, { dimension: "event", value: "a" })]);
  control.days.fold("proj_1", 10, [row(10, { events: 9 })]);
  expect(daysOf()).toEqual(["10 imp_1", "10 null"]);
  const id = control.days.ofProject("proj_1").at(-1)?.dayImportId ?? 0;
  expect(control.days.sums(id, "total", 10, 10)[0]?.sums[0]?.events).toBe(9);
  expect(control.days.sums(id, "event", 10, 10)).toEqual([]);
});

test("a date keeps the largest values of a dimension, within a number of bytes", () => {
  const long = "x".repeat(dayValueCharsMax - 8);
  const rows = Array.from({ length: 500 }, (_, at) =>
    row(10, { dimension: "page", value: `${long}${at}`, page_views: at }),
  );
  const tooLong = row(10, { dimension: "page", value: "y".repeat(dayValueCharsMax + 1) });
  const longest = row(10, {
    dimension: "page",
    value: "y".repeat(dayValueCharsMax),
    page_views: 999,
  });
  control.days.fold("proj_1", 10, [...rows, tooLong, longest]);
  const id = control.days.ofProject("proj_1").at(-1)?.dayImportId ?? 0;
  const [{ sums = [] } = {}] = control.days.sums(id, "page", 10, 10);
  expect(sums.slice(0, 2).map(({ value }) => value)).toEqual([longest.value, `${long}499`]);
  const bytes = JSON.stringify(sums.map((one) => Object.values(one))).length;
  expect(bytes).toBeLessThanOrEqual(daySumsBytesMax);
  expect(bytes).toBeGreaterThan(daySumsBytesMax - 1_000);
});

test("settings of retention: folding is on, and the earliest deleted event stays", () => {
  expect([control.days.isFolding("proj_1"), control.days.firstDeletedMs("proj_1")]).toEqual([
    true,
    null,
  ]);
  control.days.noteDeleted("proj_1", 500);
  control.days.setFolding("proj_1", false);
  control.days.noteDeleted("proj_1", 700);
  control.days.noteDeleted("proj_1", 300);
  expect([control.days.isFolding("proj_1"), control.days.firstDeletedMs("proj_1")]).toEqual([
    false,
    300,
  ]);
});

import { afterAll, beforeAll, expect, test } from "bun:test";
import type { ChangeDimension, ChangeMetric } from "../../src/domain/changes/change-counts";
import { changePeriods } from "../../src/domain/changes/change-periods";
import { plainGoal } from "../../src/domain/goal";
import { selectionOf } from "../../src/domain/metric";
import { allTime, type Days } from "../../src/domain/period";
import type { PropertyField } from "../../src/domain/property-field";
import { changesRead } from "../../src/features/changes/changes";
import { queryBatchRead, queryRead } from "../../src/features/query/read";
import type { Read } from "../../src/store/port";
import type { Engine } from "../support/engine/engine";
import { dayMs, event, lastDays, projectId, storeOfDays } from "../support/engine/examples";
import { filtersOf } from "../support/engine/filters";

/** What questions of several parts open of columns that are on the disk: each part its own columns, and no more. */
const daysStored = 3;

/** What changed is asked of a store with the week before. */
const daysCompared = 9;

let engine: Engine;
let ofTwoWeeks: Engine;
beforeAll(() => {
  engine = storeOfDays(daysStored, eventsOf);
  ofTwoWeeks = storeOfDays(daysCompared, eventsOf);
});
afterAll(() => {
  engine.close();
  ofTwoWeeks.close();
});

/** Each day's sessions are its own, no two events have the same time, and all amounts are whole. */
const eventsOf = (fromMs: number) =>
  Array.from({ length: 3_000 }, (_, index) =>
    event({
      name: index % 9 === 0 ? "buy" : "page_view",
      timeMs: fromMs + index,
      userId: `u${index % 40}`,
      sessionId: `s${fromMs}-${index % 100}`,
      properties: {
        ...{ path: `/${index % 7}`, plan: "pro", amount: index, note: `n${index}` },
        size: index % 3 === 0 ? "42" : 42,
      },
    }),
  );

interface Asked {
  readonly metrics?: readonly string[];
  readonly group_by?: readonly string[];
  readonly filters?: readonly object[];
  readonly zone?: string;
}
const today: Days = { from: lastDays.to, to: lastDays.to };
const inputOf = ({ metrics = [], group_by = [], filters, zone }: Asked) => ({
  ...{ projectId, days: zone === undefined ? today : { ...today, zone }, limit: 10 },
  selection: selectionOf({ metrics: [...metrics], group_by: [...group_by], count_mode: "raw" }),
  filters: filtersOf(filters),
});

const amount = "properties.amount";
/** What tells sessions apart, and when they began and ended. */
const keys = ["visit.session_high", "visit.session_low", "visit.user"];
const times = ["visit.duration", "visit.start"];
const ofSessions = [...keys, "visit.events"];
const pages = ["property.path"];
const isPro = { field: "properties.plan", op: "eq", value: "pro" } as const;
const isBuy = { field: "event", op: "eq", value: "buy" };
/** Sessions may go on in any segment. */
const all = daysStored;

/** Which rows have a property at all. */
const has = "event.shape";

type Plan = readonly [name: string, asked: Asked, segments: number, columns: readonly string[]];
const ofAmount = [`sum:${amount}`, `avg:${amount}`, `p95:${amount}`];
const mixed = { metrics: ["unique_users", `sum:${amount}`], group_by: ["event"] };
const users = ["visit.events", "visit.user"];
const ofBoth = { group_by: ["properties.plan", "properties.path"] };
const onExit = [{ field: "session.exit_page", op: "eq", value: "/1" }];
const notLeft = { did_not: "page_view", filters: [isPro] };
const onPages = [...ofSessions, ...times, ...pages];
/** Codes of visits are spread over their events. */
const ofPlan = ["property.plan", "visit.events"];
const plans: readonly Plan[] = [
  ["several measures of a property open it alone", { metrics: ofAmount }, 1, ["property.amount"]],
  ["distinct", { metrics: ["distinct:properties.plan"] }, 1, [has, ...ofPlan]],
  ["page_views", { metrics: ["page_views"] }, 1, ["event.name"]],
  ["users and a sum by event", mixed, 1, ["event.name", "property.amount", ...users]],
  ["groups of two properties", ofBoth, 1, [has, "property.path", ...ofPlan]],
  ["hours of segments that lie in one open nothing", { group_by: ["hour"] }, 0, []],
  ["so do those of a half-hour zone", { group_by: ["hour"], zone: "Asia/Kolkata" }, 0, []],
  ["weeks of whole segments open nothing", { group_by: ["week"] }, 0, []],
  ["so do months", { group_by: ["month"] }, 0, []],
  ["and dates of another zone", { group_by: ["date"], zone: "Asia/Kolkata" }, 0, []],
  [
    "any, whose first item holds for all",
    { filters: [{ any: [isPro, isBuy] }] },
    1,
    [has, "property.plan"],
  ],
  ["any", { filters: [{ any: [isBuy, isPro] }] }, 1, ["event.name", has, "property.plan"]],
  [
    ...(["did and did_not", { filters: [{ did: "buy" }, notLeft] }, 1] as const),
    ["event.name", has, "property.plan", ...users],
  ],
  [
    ...(["the page a session began on", { group_by: ["session.entry_page"] }] as const),
    ...([all, [...ofSessions, "visit.start"]] as const),
  ],
  ["the page it ended on, as a filter", { filters: onExit }, all, onPages],
  [
    ...(["a field of sessions that events have", { group_by: ["session.country"] }] as const),
    ...([all, ["event.country", ...ofSessions]] as const),
  ],
  ["a field of sessions that no event has", { group_by: ["session.utm_source"] }, all, ofSessions],
  ["the channel of sessions", { group_by: ["session.channel"] }, all, ofSessions],
];

test.each(plans)("%s", async (_, asked, segments, columns) => {
  expect(await engine.columnsTouched(queryRead, inputOf(asked))).toEqual(columns.toSorted());
  expect(await engine.segmentsTouched(queryRead, inputOf(asked))).toBe(segments);
});

test("queries open each column once, in one snapshot", async () => {
  const questions = [{ metrics: ofAmount }, { metrics: ["distinct:properties.plan"] }, mixed];
  const input = { questions: questions.map(inputOf) };
  expect(await engine.columnsTouched(queryBatchRead, input)).toEqual([
    ...["event.name", has, "property.amount", "property.plan", ...users],
  ]);
  expect(await engine.segmentsTouched(queryBatchRead, input)).toBe(1);
});

/** Counts texts that are numbers among the events of one plan, on all dates. */
const textNumbersRead: Read<PropertyField, number> = {
  name: "text-numbers",
  scope: () => ({ projectIds: [projectId], ...allTime }),
  run: (snapshot, field) => snapshot.textNumbers({ projectId, ...allTime }, [isPro], field),
};
test("where a property has no texts that are numbers, no filter is asked", async () => {
  expect(await engine.columnsTouched(textNumbersRead, amount)).toEqual(["property.amount"]);
  const columns = [has, "property.plan", "property.size"];
  expect(await engine.columnsTouched(textNumbersRead, "properties.size")).toEqual(columns);
  expect(await engine.read(textNumbersRead, amount)).toBe(0);
  expect(await engine.read(textNumbersRead, "properties.size")).toBe(daysStored * 1_000);
});

/** Asks about today, which is compared with the same weekday before: all of that date is stored. */
const changesOf = (dimension: ChangeDimension, metric: ChangeMetric = "events", zone?: string) => {
  const nowMs = lastDays.to * dayMs + dayMs / 2;
  const periods = changePeriods({ since: "0d", until: "0d", nowMs, zone });
  return {
    ...{ projectId, metric, dimensions: [dimension], limit: 10 },
    goal: metric === "conversion" ? plainGoal("buy") : null,
    ...{ periods, days: periods.current },
  };
};

type ChangePlan = readonly [
  name: string,
  asked: Parameters<typeof changesOf>,
  columns: readonly string[],
];
const changePlans: readonly ChangePlan[] = [
  ["a dimension of events opens it alone", ["event"], ["event.name"]],
  ["a property", ["properties.plan"], [has, ...ofPlan]],
  ["a page, where every event has a path", ["page"], ["property.path"]],
  ["a source, which sessions have", ["source"], [...ofSessions]],
  ["a version", ["version"], ["app_version", "release", "version"].map((key) => `property.${key}`)],
  [
    "dates of another zone",
    ["country", "events", "Asia/Kolkata"],
    ["event.country", "visit.events"],
  ],
  ["users", ["country", "users"], ["event.country", ...users]],
  ["sessions", ["country", "sessions"], ["event.country", ...keys, "visit.start"]],
  ["conversion", ["source", "conversion"], ["event.name", ...ofSessions, "visit.start"]],
];

test.each(changePlans)("what changed by %s", async (_, asked, columns) => {
  const touched = await ofTwoWeeks.columnsTouched(changesRead, changesOf(...asked));
  expect(touched).toEqual(columns.toSorted());
});

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { plainGoal } from "../../src/domain/goal";
import { type Days, windowOf } from "../../src/domain/period";
import { allSitesRead } from "../../src/features/all-sites/read";
import { breakdownRead } from "../../src/features/breakdown/breakdown";
import { eventsRead } from "../../src/features/events/read";
import { experimentRead } from "../../src/features/experiments/read";
import { funnelRead } from "../../src/features/funnel/read";
import { heatmapRead } from "../../src/features/heatmap/heatmap";
import { eventsLookupRead, journeyRead } from "../../src/features/identity/read";
import { insightsRead } from "../../src/features/insights/insights";
import { pagesRead } from "../../src/features/pages/pages";
import { pathsRead } from "../../src/features/paths/paths";
import { receivedRead } from "../../src/features/properties/properties";
import { queryComparedRead } from "../../src/features/query/compared";
import { queryRead } from "../../src/features/query/read";
import { retentionRead } from "../../src/features/retention/retention";
import { distributionRead } from "../../src/features/sessions/distribution";
import { sessionsRead } from "../../src/features/sessions/read";
import { statsRead } from "../../src/features/stats/stats";
import { propertiesRead } from "../../src/reads/properties";
import { usageRead } from "../../src/reads/usage";
import { openSnapshots } from "../../src/store/events/read/snapshot";
import { openForReading } from "../../src/store/events/tables";
import type { Read } from "../../src/store/port";
import type { Engine } from "../support/engine/engine";
import {
  dayMs,
  event,
  lastDays,
  noonMs,
  projectId,
  store,
  storeOfColumns,
  storeOfDays,
} from "../support/engine/examples";

/** What each read opens of columns that are on the disk: the work that its statements do. */

const eventsADay = 3_000;
const daysStored = 3;

let engine: Engine;
beforeAll(() => {
  engine = storeOfDays(daysStored, eventsOf);
});
afterAll(() => engine.close());

/** Each day's sessions are its own, and no two events have the same time. */
const eventsOf = (fromMs: number) =>
  Array.from({ length: eventsADay }, (_, index) =>
    event({
      name: index % 9 === 0 ? "buy" : "page_view",
      timeMs: fromMs + index,
      userId: `u${index % 40}`,
      sessionId: `s${fromMs}-${index % 100}`,
      country: "DE",
      properties: { path: `/${index % 7}`, plan: "pro", note: `n${index}` },
    }),
  );

const today: Days = { from: lastDays.to, to: lastDays.to };
const yesterday: Days = { from: lastDays.to - 1, to: lastDays.to - 1 };
const inProject = { projectId, days: today };
const page = { limit: 10, before: null, question: {} };
const noSession = { userId: null, sessionId: null, isBounce: null, showsReplays: false };
const selection = {
  metrics: ["event_count"],
  groupBy: ["event"],
  countMode: "raw",
  orderBy: "event_count",
  order: "desc",
} as const;
const isPro = { field: "properties.plan", op: "eq", value: "pro" } as const;
const steps = ["page_view", "buy"].map((name) => ({ event: name, filters: [] }));
const funnel = {
  ...inProject,
  steps: { source: "request.steps", steps },
  windowHours: 24,
  breakdown: null,
  breakdownLimit: 10,
} as const;
const bounds = {
  goal: plainGoal("buy"),
  max_steps: 5,
  entry_limit: 10,
  path_limit: 5,
  candidate_session_cap: null,
};
const retention = {
  projectId,
  period: "day",
  periods: [yesterday, today],
  days: today,
  ...{ returningEvent: null, breakdown: null },
} as const;

/** What tells sessions apart; the rest of a project's segments may hold more of them. */
const keys = ["visit.session_high", "visit.session_low", "visit.user"];
/** When they began and ended, whether they are bounces, what is counted in them: each is opened where it is asked. */
const times = ["visit.duration", "visit.start"];
const bounces = ["visit.interactive"];
const lengths = ["visit.events"];
const views = ["visit.page_views"];
const judged = [...keys, ...times, ...bounces];
const pages = ["property.path"];
/** Rows as they were sent. */
const shapes = ["event.country", "event.name", "event.shape", "event.time"];
const whole = ["property.note", "property.path", "property.plan", "visit.session_id"];
/** Who comes before whom among events of one millisecond. */
const tickets = ["event.counter", "event.ticket", "event.ticket_high"];

/** A read of one of the three days: how many segments it opens columns of, and which. */
function opens<Input, Output>(
  name: string,
  read: Read<Input, Output>,
  input: Input,
  segments: number,
  columns: readonly string[],
): void {
  test(name, async () => {
    expect(await engine.columnsTouched(read, input)).toEqual(columns.toSorted());
    expect(await engine.segmentsTouched(read, input)).toBe(segments);
  });
}

describe("counters alone", () => {
  const sites = {
    projects: [{ id: projectId, name: "shop" }],
    label: "1d",
    current: today,
    previous: yesterday,
  } as const;
  opens("/account/all-sites", allSitesRead, { ...sites, limit: 10 }, 0, []);
  const dates = { fromDate: "2026-01-01", toDate: "2026-01-14" };
  opens("/projects/{id}/usage", usageRead, { projectIds: [projectId], ...dates }, 0, []);
});

describe("the window's segments alone", () => {
  const query = { ...inProject, selection, limit: 10 };
  opens("/query by event", queryRead, { ...query, filters: [] }, 1, ["event.name"]);
  const beside = { ...query, compare: { days: yesterday, until: null } };
  opens("/query of two periods", queryComparedRead, beside, 2, ["event.name"]);
  const filtered = ["event.country", "event.name", "property.plan"];
  opens("/query of a property", queryRead, { ...query, filters: [isPro] }, 1, filtered);
  const people = { did: "buy", isNegated: false, filters: [], window: null };
  const buyers = ["event.name", "visit.events", "visit.user"];
  opens("/query of people", queryRead, { ...query, filters: [people] }, 1, buyers);
  const path = { property: "path", event: null, limit: 10 };
  const values = ["property.path", "visit.events", "visit.user"];
  const experiment = {
    ...{ id: "exp_1", project_id: projectId, account_id: "acc_1", name: "hero", goal_event: "buy" },
    ...{ winner: null, created_at: "", updated_at: "", completed_at: null },
    status: "active" as const,
    variants: [{ key: "a", weight: 100 }],
  };
  const asked = { experiment, goal: plainGoal("buy"), window: windowOf(today), context: {} };
  const when = ["event.name", "event.time", "visit.events", "visit.start", "visit.user"];
  opens("/experiments/{id}", experimentRead, asked, 1, when);
  opens("/breakdown", breakdownRead, { ...inProject, ...path }, 1, values);
  opens("/heatmap", heatmapRead, inProject, 1, ["visit.user"]);
  const seen = [...shapes, "visit.events", "visit.start", "visit.user"];
  opens("/properties", propertiesRead, inProject, 1, seen);
  const sampled = [...shapes, "visit.events", "visit.start"];
  opens(
    "/properties/received",
    receivedRead,
    { ...inProject, sample: 100, pairsMax: 200 },
    1,
    sampled,
  );
  opens("/events", eventsRead, { ...inProject, conditions: [], ...page }, 1, [
    ...tickets,
    ...seen,
    ...whole,
  ]);
  const ordered = ["event.name", "event.time", "visit.events", "visit.start", "visit.user"];
  const walked = [...ordered, "visit.session_high", "visit.session_low"];
  opens("/funnel by user", funnelRead, { ...funnel, countBy: "user_id" }, 1, walked);
  opens("/funnel by session", funnelRead, { ...funnel, countBy: "session_id" }, 1, walked);
});

describe("sessions, which may go on in any segment", () => {
  const named = ["event.name", ...judged, ...lengths, ...views];
  const ofRate = ["event.name", ...keys, ...bounces, ...lengths];
  opens("/stats by day", statsRead, { ...inProject, groupBy: "day" }, daysStored, named);
  opens("/stats by hour", statsRead, { ...inProject, groupBy: "hour" }, daysStored, named);
  const rate = { ...selection, metrics: ["bounce_rate"] } as const;
  const byBounce = { ...inProject, selection: rate, filters: [], limit: 10 };
  opens("/query of a bounce rate", queryRead, byBounce, daysStored, ofRate);
  const yesterdayToo = { ...byBounce, compare: { days: yesterday, until: null } };
  opens("/query of two periods", queryComparedRead, yesterdayToo, daysStored, ofRate);
  const conversions = { ...selection, metrics: ["conversion_rate"] } as const;
  const ofBuyers = { ...byBounce, selection: conversions, goal: { event: "buy", filters: [] } };
  const ofGoal = ["event.name", ...keys, ...lengths];
  opens("/query of conversions", queryRead, ofBuyers, daysStored, ofGoal);
  const distributed = [...judged, ...lengths];
  opens("/sessions/distribution", distributionRead, inProject, daysStored, distributed);
  const filters = [isPro];
  const matching = ["event.country", "property.plan", ...distributed];
  opens("… filtered", distributionRead, { ...inProject, filters }, daysStored, matching);
  const compared = { projectId, days: today, previous: yesterday };
  opens("/insights", insightsRead, compared, daysStored, [...judged, ...views]);
  const list = { ...inProject, ...noSession, ...page };
  const shown = [...judged, ...lengths, ...pages, "visit.session_id"];
  opens("/sessions", sessionsRead, list, daysStored, shown);
  const entries = { ...inProject, type: "entry", limit: 10 } as const;
  // The first page of each visit is stored beside the column.
  opens("/pages of entry", pagesRead, entries, daysStored, [...judged, ...lengths]);
  const both = { ...entries, type: "both" } as const;
  opens("/pages", pagesRead, both, daysStored, [...judged, ...lengths, ...pages]);
  // Visits of a session overlap here, in no moment.
  const walked = [...pages, "event.name", "event.time"];
  const ways = [...keys, ...times, ...lengths, ...walked];
  opens("/paths", pathsRead, { ...inProject, request: bounds }, daysStored, ways);
});

describe("people", () => {
  const rows = [...tickets, ...shapes, ...whole, "visit.events", "visit.start"];
  const person = { userId: "u7", emailDigests: [], members: [] };
  const ofPerson = { project: { id: projectId, name: "shop" }, days: today, person, limit: 10 };
  opens("/events/lookup", eventsLookupRead, { ...ofPerson, event: "buy" }, 1, [
    ...rows,
    "visit.user",
  ]);
  // When it was seen first and last is told by the first and the last day.
  opens("/journey", journeyRead, { ...ofPerson, event: null }, daysStored - 1, [
    ...rows,
    "visit.duration",
    "visit.user",
  ]);
  const stranger = { ...ofPerson, person: { ...person, userId: "nobody" } };
  opens("/journey of nobody", journeyRead, { ...stranger, event: null }, 0, []);
  const query = { ...inProject, selection, filters: [], limit: 10 };
  const counted = ["event.name", "visit.events", "visit.user"];
  opens("/query of a person", queryRead, { ...query, person }, 1, counted);
  const nobody = { ...query, person: stranger.person };
  opens("/query of nobody", queryRead, nobody, 0, []);
});

describe("all that is stored, to know who is new", () => {
  const ofAny = { ...retention, event: null };
  opens("/retention", retentionRead, ofAny, daysStored, [...keys, ...times]);
  // A segment has the events of one date, so a user's events in it are of one period.
  const perDate = ["event.name", "visit.events", "visit.user"];
  const ofEvent = { ...retention, event: "buy" };
  opens("/retention of an event", retentionRead, ofEvent, daysStored, perDate);
  const again = { ...ofEvent, returningEvent: "buy" };
  opens("/retention of an event that comes again", retentionRead, again, 3, perDate);
});

// Last, as it stays known.
describe("once it is known which segments share sessions", () => {
  beforeAll(() => {
    expect(engine.noteOverlaps()).toBe(daysStored);
  });
  const named = ["event.name", ...judged, ...lengths, ...views];
  opens("/stats", statsRead, { ...inProject, groupBy: "day" }, 1, named);
  opens("/sessions/distribution", distributionRead, inProject, 1, [...judged, ...lengths]);
  test("an event of a session brings the day it began", async () => {
    const begun = noonMs - (daysStored - 1) * dayMs;
    store(engine, [event({ timeMs: noonMs + dayMs / 4, sessionId: `s${begun}-7` })]);
    expect(await engine.segmentsTouched(distributionRead, inProject)).toBe(daysStored);
    engine.noteOverlaps();
    expect(await engine.segmentsTouched(distributionRead, inProject)).toBe(2);
  });
  test("what is noted between two reads of one reader is seen by the second", async () => {
    const begun = noonMs - (daysStored - 2) * dayMs;
    store(engine, [event({ timeMs: noonMs + dayMs / 4, sessionId: `s${begun}-9` })]);
    const snapshots = openSnapshots(engine.file, 1 << 26, () => false);
    const opened = async () => {
      snapshots.cache.clear();
      await snapshots.run(distributionRead, inProject);
      const keys = [...snapshots.cache.keys()].filter((key) => key.includes(":visit."));
      return new Set(keys.map((key) => key.split(":")[0])).size;
    };
    expect(await opened()).toBe(daysStored);
    engine.noteOverlaps();
    const db = openForReading(engine.file);
    expect(db.query("select count(*) from current_segment where related is null").values()).toEqual(
      [[0]],
    );
    db.close();
    expect(await opened()).toBe(3);
    snapshots.close();
  });
});

describe("events without sessions", () => {
  test("are not looked at further by reads about sessions", async () => {
    const alone = storeOfColumns((index) => event({ timeMs: noonMs + index, userId: "u" }));
    expect(await alone.columnsTouched(distributionRead, inProject)).toEqual([
      "visit.session_high",
      "visit.session_low",
      "visit.user",
    ]);
    alone.close();
  });
});

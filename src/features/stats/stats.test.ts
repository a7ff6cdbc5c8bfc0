import { describe, expect, test } from "bun:test";
import { at } from "../../../test/support/engine/engine";
import {
  dayMs,
  event,
  hourMs,
  lastDays,
  minuteMs,
  noonMs,
  projectId,
  store,
  storeOfColumns,
  visit,
} from "../../../test/support/engine/examples";
import { ReadTest } from "../../../test/support/engine/read-test";
import { statsRead } from "./stats";

const on = new ReadTest();
const { given } = on;

type GroupBy = "hour" | "day" | "week" | "month";
const stats = (groupBy: GroupBy = "day", days = lastDays) =>
  on.engine.read(statsRead, { projectId, days, groupBy });

test("an empty project has zeros and no buckets", async () => {
  given();
  expect(await stats()).toEqual({
    period: { from: "2026-01-07", to: "2026-01-14", groupBy: "day" },
    totals: { unique_users: 0, total_events: 0, visitors: 0 },
    timeSeries: [],
    events: [],
    sessions: {
      total_sessions: 0,
      bounce_rate: 0,
      avg_duration: 0,
      pages_per_session: 0,
      sessions_per_user: 0,
    },
  });
});

test("an event without a user counts as an event and as nobody", async () => {
  given(event(), event({ userId: "ann" }), event({ userId: "ann" }), event({ userId: "bob" }));
  const totals = { unique_users: 2, total_events: 4, visitors: 0 };
  expect((await stats()).totals).toEqual(totals);
});

test("both ends of the window are included, and nothing beyond them", async () => {
  const firstMs = lastDays.from * dayMs;
  const endMs = (lastDays.to + 1) * dayMs;
  given(
    event({ timeMs: firstMs - 1 }),
    event({ timeMs: firstMs }),
    event({ timeMs: endMs - 1 }),
    event({ timeMs: endMs }),
  );
  expect((await stats()).timeSeries).toEqual([
    { bucket: "2026-01-07", unique_users: 0, total_events: 1 },
    { bucket: "2026-01-14", unique_users: 0, total_events: 1 },
  ]);
});

describe("the time series", () => {
  const atTimes = (...times: number[]) =>
    given(...times.map((timeMs) => event({ timeMs, userId: "ann" })));
  const buckets = async (groupBy: GroupBy, from = lastDays.from) =>
    (await stats(groupBy, { from, to: lastDays.to })).timeSeries.map(({ bucket }) => bucket);

  test("has hours of whole dates", async () => {
    atTimes(noonMs, noonMs + 59 * minuteMs, noonMs - 25 * hourMs);
    expect(await buckets("hour")).toEqual(["2026-01-13T11:00", "2026-01-14T12:00"]);
  });
  test("has weeks that begin on Monday, the first one cut by the window", async () => {
    atTimes(noonMs, noonMs - 2 * dayMs, noonMs - 3 * dayMs, noonMs - 7 * dayMs);
    expect(await buckets("week")).toEqual(["2026-01-05", "2026-01-12"]);
  });
  test("has months", async () => {
    atTimes(noonMs, noonMs - 20 * dayMs);
    expect(await buckets("month", lastDays.from - 30)).toEqual(["2025-12", "2026-01"]);
  });
  test("counts a visitor once per bucket and once in all", async () => {
    atTimes(noonMs, noonMs, noonMs - dayMs);
    const { timeSeries, totals } = await stats();
    expect(timeSeries.map(({ unique_users }) => unique_users)).toEqual([1, 1]);
    expect(totals.unique_users).toBe(1);
  });
});

describe("events", () => {
  test("are the 20 most frequent; ties go by code points", async () => {
    const names = Array.from({ length: 21 }, (_, index) => `e${String(index).padStart(2, "0")}`);
    given(...[...names, "e20", "😀", "～"].map((name) => event({ name })));
    const found = (await stats()).events.map((one) => one.event);
    expect(found[0]).toBe("e20");
    expect(found).toHaveLength(20);
    expect(found.at(-1)).toBe("e18");
  });
  test("keep names that SQL and JSON could stumble over", async () => {
    const hostile = ["nul\0inside", 'quote"', "__proto__", "line\nfeed", "😀"];
    given(...hostile.map((name) => event({ name })));
    const found = (await stats()).events.map((one) => one.event);
    expect(found.sort()).toEqual(hostile.sort());
  });
});

describe("sessions", () => {
  test("are averaged over those that started in the window", async () => {
    given(
      ...visit("ann", "s1", "page_view", "page_view", "click"),
      ...visit("ann", "s2", "page_view"),
      ...visit("bob", "s3", "page_view", "$scroll_depth"),
    );
    expect((await stats()).sessions).toEqual({
      total_sessions: 3,
      bounce_rate: 0.667,
      avg_duration: minuteMs,
      pages_per_session: 1.3,
      sessions_per_user: 1.5,
    });
  });
  test("are judged on their events outside the window too", async () => {
    const afterMs = (lastDays.to + 1) * dayMs;
    given(
      event({ sessionId: "s1", timeMs: afterMs - minuteMs }),
      event({ sessionId: "s1", timeMs: afterMs + minuteMs, name: "click" }),
      event({ sessionId: "s2", timeMs: lastDays.from * dayMs - 1 }),
      event({ sessionId: "s2", timeMs: lastDays.from * dayMs }),
    );
    expect((await stats()).sessions).toMatchObject({
      total_sessions: 1,
      bounce_rate: 0,
      avg_duration: 2 * minuteMs,
      sessions_per_user: 1,
    });
  });
});

test("/identify makes two visitors one, before and after", async () => {
  given(...visit("anon", "s1", "page_view"), ...visit("ann", "s2", "page_view"));
  expect((await stats()).totals.unique_users).toBe(2);
  at(noonMs, () =>
    on.engine.append([
      {
        kind: "identity",
        projectId,
        receivedAtMs: noonMs,
        previousId: "anon",
        userId: "ann",
        traits: null,
      },
    ]),
  );
  expect((await stats()).totals.unique_users).toBe(1);
  store(on.engine, visit("anon", "s3", "page_view"));
  const totals = { unique_users: 1, total_events: 3, visitors: 1 };
  expect((await stats()).totals).toEqual(totals);
});

test("visitors are the users of sessions that began in the period, whoever has other events in it", async () => {
  const of = (userId: string | null, sessionId: string, timeMs = noonMs) =>
    event({ userId, sessionId, timeMs });
  given(
    ...[of("ann", "s1"), of("ann", "s2")],
    // A session is of the user who was known in it last; the next one began before the period.
    ...[of("anon", "s3"), of("bob", "s3", noonMs + 1)],
    ...[of("cy", "s4", noonMs - 30 * dayMs), of("cy", "s4")],
    ...[event({ userId: "dan" }), of(null, "s5")],
  );
  expect((await stats()).totals).toEqual({ unique_users: 5, total_events: 7, visitors: 2 });
});

test("what retention hides is as if it had never been stored", async () => {
  given(
    ...visit("ann", "s1", "page_view"),
    event({ sessionId: "s1", userId: "old", timeMs: noonMs - dayMs, name: "click" }),
  );
  on.engine.forget(projectId, lastDays.to * dayMs);
  expect((await stats("day")).timeSeries).toEqual([
    { bucket: "2026-01-14", unique_users: 1, total_events: 1 },
  ]);
  expect((await stats()).sessions).toMatchObject({
    total_sessions: 1,
    bounce_rate: 1,
    avg_duration: 0,
  });
});

test("opens the columns of visits, of names, and no others", async () => {
  on.engine = storeOfColumns((index) =>
    event({
      timeMs: noonMs + index, // of equal times the later one is told by its ticket, which is two columns more
      userId: `u${index % 9}`,
      sessionId: `s${index % 50}`,
      properties: { path: "/" },
    }),
  );
  expect(
    await on.engine.columnsTouched(statsRead, { projectId, days: lastDays, groupBy: "day" }),
  ).toEqual([
    "event.name",
    "visit.duration",
    "visit.events",
    "visit.interactive",
    "visit.page_views",
    "visit.session_high",
    "visit.session_low",
    "visit.start",
    "visit.user",
  ]);
});

import { describe, expect, test } from "bun:test";
import {
  dayMs,
  event,
  lastDays,
  minuteMs,
  noonMs,
  projectId,
  store,
  storeOfColumns,
  visit,
} from "../../../test/support/engine/examples";
import { ReadTest } from "../../../test/support/engine/read-test";
import { distributionRead } from "./distribution";
import { sessionsRead } from "./read";

const on = new ReadTest();
const { given } = on;

const input = {
  projectId,
  days: lastDays,
  userId: null,
  sessionId: null,
  isBounce: null,
  showsReplays: false,
  limit: 100,
  before: null,
  question: {},
};
const sessions = async (said: Partial<Parameters<typeof sessionsRead.run>[1]> = {}) =>
  (await on.engine.read(sessionsRead, { ...input, ...said })).sessions;
const distribution = () => on.engine.read(distributionRead, { projectId, days: lastDays });

describe("a session", () => {
  test("is all events with its id, whenever they come", async () => {
    given(...visit("ann", "s1", "page_view", "page_view"));
    store(on.engine, [
      event({ sessionId: "s1", timeMs: noonMs - 5 * minuteMs, name: "page_view" }),
    ]);
    expect(await sessions()).toMatchObject([
      {
        session_id: "s1",
        start_time: noonMs - 5 * minuteMs,
        duration: 6 * minuteMs,
        event_count: 3,
      },
    ]);
  });
  test("bounces while nothing in it is an interaction, however many pages it has", async () => {
    given(...visit("ann", "s1", "page_view", "page_view", "$scroll_depth", "$web_vitals"));
    expect(await sessions()).toMatchObject([{ is_bounce: 1 }]);
    store(on.engine, [event({ sessionId: "s1", name: "click" })]);
    expect(await sessions()).toMatchObject([{ is_bounce: 0 }]);
  });
  test("belongs to the user of its latest event that has one", async () => {
    given(
      event({ sessionId: "s1", userId: "early" }),
      event({ sessionId: "s1", userId: "late", timeMs: noonMs + minuteMs }),
      event({ sessionId: "s1", timeMs: noonMs + 2 * minuteMs }),
    );
    expect(await sessions()).toMatchObject([{ user_id: "late" }]);
    store(on.engine, [event({ sessionId: "s1", userId: "tied", timeMs: noonMs + minuteMs })]);
    expect(await sessions()).toMatchObject([{ user_id: "tied" }]);
  });
  test("has the first and the last page that an event of it names", async () => {
    const page = (minutes: number, properties: Record<string, unknown>) =>
      event({ sessionId: "s1", timeMs: noonMs + minutes * minuteMs, properties });
    given(
      page(0, { path: "" }),
      page(1, { path: 7, url: "https://x/first" }),
      page(2, { path: "/last", url: "https://x/other" }),
      page(3, {}),
    );
    expect(await sessions()).toMatchObject([{ entry_page: "https://x/first", exit_page: "/last" }]);
  });
  test("counts on the day it started", async () => {
    given(
      event({ sessionId: "s1", timeMs: lastDays.from * dayMs - 1 }),
      event({ sessionId: "s1", timeMs: noonMs }),
      event({ sessionId: "s2", timeMs: lastDays.from * dayMs }),
    );
    expect((await sessions()).map(({ session_id }) => session_id)).toEqual(["s2"]);
  });
});

test("of more that started together than are shown, those with the greatest ids are", async () => {
  const ids = Array.from({ length: 60 }, (_, number) => `s${String(number).padStart(2, "0")}`);
  given(
    ...ids.map((sessionId) => event({ sessionId })),
    event({ sessionId: "later", timeMs: noonMs + 1 }),
  );
  const shown = (await sessions({ limit: 3 })).map(({ session_id }) => session_id);
  expect(shown).toEqual(["later", "s59", "s58"]);
});

test("newest first; those that started together by descending id", async () => {
  given(...["b", "😀", "～", "a"].map((sessionId) => event({ sessionId })));
  expect((await sessions()).map(({ session_id }) => session_id)).toEqual(["😀", "～", "b", "a"]);
});

test("a user's sessions are those that end up with that user", async () => {
  given(...visit("anon", "s1", "page_view"), ...visit("ann", "s2", "page_view"));
  on.engine.append([
    {
      kind: "identity",
      projectId,
      receivedAtMs: noonMs,
      previousId: "anon",
      userId: "ann",
      traits: null,
    },
  ]);
  expect(await sessions({ userId: "ann" })).toHaveLength(2);
  expect(await sessions({ userId: "anon" })).toEqual([]);
});

test("durations fall into buckets, upper bounds excluded", async () => {
  const lasting = [0, 1, 9_999, 10_000, 30_000, 60_000, 180_000, 600_000];
  given(
    ...lasting.flatMap((ms, index) => [
      event({ sessionId: `s${index}` }),
      event({ sessionId: `s${index}`, timeMs: noonMs + ms }),
    ]),
  );
  const { distribution: rows, median_bucket, engaged_pct } = await distribution();
  expect(rows.map(({ bucket, sessions: count }) => [bucket, count])).toEqual([
    ["0s", 1],
    ["1-10s", 2],
    ["10-30s", 1],
    ["30-60s", 1],
    ["1-3m", 1],
    ["3-10m", 1],
    ["10m+", 1],
  ]);
  expect([median_bucket, engaged_pct]).toEqual(["10-30s", 50]);
});

test("durations need no column of events", async () => {
  on.engine = storeOfColumns((index) =>
    event({ timeMs: noonMs + index, sessionId: `s${index % 50}`, properties: { path: "/" } }),
  );
  const touched = await on.engine.columnsTouched(distributionRead, { projectId, days: lastDays });
  expect(touched.filter((name) => !name.startsWith("visit."))).toEqual([]);
});

import { describe, expect, test } from "bun:test";
import {
  dayMs,
  event,
  hourMs,
  lastDays,
  minuteMs,
  noonMs,
  projectId,
  storeOfColumns,
} from "../../../test/support/engine/examples";
import { ReadTest } from "../../../test/support/engine/read-test";
import { type AcceptedEvent, dayOf } from "../../domain/event";
import { plainGoal } from "../../domain/goal";
import type { PathNode } from "./paths";
import { pathsRead } from "./paths";

const on = new ReadTest();
const { given } = on;

const bounds = {
  goal: plainGoal("buy"),
  max_steps: 5,
  entry_limit: 10,
  path_limit: 5,
  candidate_session_cap: null as number | null,
};
const paths = async (said: Partial<typeof bounds> = {}) =>
  (await on.engine.read(pathsRead, { projectId, days: lastDays, request: { ...bounds, ...said } }))
    .entry_paths;

/** A session as a line: pages begin with a slash, everything else is an event. */
const session = (id: string, way: string): AcceptedEvent[] =>
  way.split(" ").map((step, index) =>
    event({
      sessionId: id,
      timeMs: noonMs + index * minuteMs,
      ...(step.startsWith("/") ? { properties: { path: step } } : { name: step }),
    }),
  );
/** A tree as lines of `type:value sessions/conversions`, indented. */
const drawn = (nodes: readonly PathNode[], depth = 0): string[] =>
  nodes.flatMap(({ type, value, sessions, conversions, children }) => [
    `${"  ".repeat(depth)}${type}:${value} ${sessions}/${conversions}`,
    ...drawn(children, depth + 1),
  ]);
const tree = async (said: Partial<typeof bounds> = {}) => drawn((await paths(said))[0]?.tree ?? []);

test("sessions become a tree per entry page; converting ones count in every node of their way", async () => {
  given(
    ...session("s1", "/ /pricing buy /thanks"),
    ...session("s2", "/ /pricing sign_up"),
    ...session("s3", "/"),
    ...session("s4", "/blog buy"),
  );
  expect(
    (await paths()).map(({ entry_page, sessions, conversions }) => [
      entry_page,
      sessions,
      conversions,
    ]),
  ).toEqual([
    ["/", 3, 1],
    ["/blog", 1, 1],
  ]);
  expect(await tree()).toEqual([
    "page:/pricing 2/1",
    "  goal:buy 1/1",
    "  event:sign_up 1/0",
    "    drop_off:/pricing 1/0",
    "drop_off:/ 1/0",
  ]);
});

test("sessions whose events all have one name, which columns store once for each", async () => {
  on.engine = storeOfColumns((index) => {
    const id = `s${Math.floor(index / 3)}`;
    const timeMs = noonMs + (index % 3) * minuteMs;
    return index % 6 < 3
      ? event({ sessionId: id, timeMs, properties: { path: ["/", "/a", "/b"][index % 3] } })
      : event({ sessionId: id, timeMs, name: "click", properties: { path: "/" } });
  });
  expect(await tree()).toEqual([
    "event:click 500/0",
    "  drop_off:/ 500/0",
    "page:/a 500/0",
    "  page:/b 500/0",
    "    drop_off:/b 500/0",
  ]);
});

describe("nodes", () => {
  test("leave out the entry page, passive events, exposures and repeats", async () => {
    given(...session("s1", "/ / $scroll_depth $experiment_exposure /a /a $error / /a click click"));
    expect(await tree()).toEqual(["page:/a 1/0", "  event:click 1/0", "    drop_off:/a 1/0"]);
  });
  test("end where the bound is reached and another would follow", async () => {
    given(...session("s1", "/ /a /b /c"));
    expect(await tree({ max_steps: 2 })).toEqual([
      "page:/a 1/0",
      "  page:/b 1/0",
      "    truncated:/c 1/0",
    ]);
    expect((await tree({ max_steps: 3 })).at(-1)).toBe("      drop_off:/c 1/0");
  });
  test("are the goal also when it is a passive event", async () => {
    given(...session("s1", "/ click /a"));
    expect(await tree({ goal: plainGoal("page_view") })).toEqual(["goal:page_view 1/1"]);
  });
  test("are the goal also when it is an exposure", async () => {
    given(...session("s1", "/ $experiment_exposure click"));
    expect(await tree({ goal: plainGoal("$experiment_exposure") })).toEqual([
      "goal:$experiment_exposure 1/1",
    ]);
  });
  test("of an end stay apart by their exit page", async () => {
    given(...session("s1", "/ click"), ...session("s2", "/ click"), ...session("s3", "/"));
    expect((await paths())[0]?.tree.at(-1)).toMatchObject({ type: "drop_off", exit_page: "/" });
  });
});

describe("a session converts with the goal behind the bound of its nodes", () => {
  test("in every node of its path, its entry and its exit page", async () => {
    given(...session("s1", "/ /a /b /c click buy /d"), ...session("s2", "/ /a /b /c click"));
    const [entry] = await paths({ max_steps: 2 });
    expect(entry).toMatchObject({
      ...{ sessions: 2, conversions: 1, conversion_rate: 0.5 },
      exit_pages: [
        { exit_page: "/c", sessions: 1, conversions: 0, drop_offs: 1 },
        { exit_page: "/d", sessions: 1, conversions: 1, drop_offs: 0 },
      ],
    });
    expect(await tree({ max_steps: 2 })).toEqual([
      "page:/a 2/1",
      "  page:/b 2/1",
      "    truncated:/d 1/1",
      "    truncated:/c 1/0",
    ]);
  });
  test("when it is the one node too many", async () => {
    given(...session("s1", "/ /a buy"));
    expect(await tree({ max_steps: 1 })).toEqual(["page:/a 1/1", "  truncated:/a 1/1"]);
  });
  test("however many steps are drawn, also outside of the window", async () => {
    const after = event({ sessionId: "s1", name: "buy", timeMs: noonMs + 2 * dayMs });
    given(...session("s1", "/ /a /b /c"), after);
    const conversions = async (max_steps: number) =>
      (await paths({ max_steps })).map((entry) => entry.conversions);
    for (const steps of [1, 2, 3, 4]) expect(await conversions(steps)).toEqual([1]);
  });
  test("in a later visit, and where visits take turns", async () => {
    const at = (minute: number, userId: string, step: string) =>
      session("s1", step).map((one) => ({ ...one, userId, timeMs: noonMs + minute * minuteMs }));
    given(...at(0, "a", "/"), ...at(1, "a", "/a"), ...at(2, "a", "/b"), ...at(3, "b", "buy"));
    expect((await tree({ max_steps: 1 })).at(-1)).toBe("  truncated:/b 1/1");
    on.engine.close();
    given(...at(0, "a", "/"), ...at(1, "b", "/a"), ...at(2, "a", "/b"), ...at(3, "b", "buy"));
    expect((await tree({ max_steps: 1 })).at(-1)).toBe("  truncated:/b 1/1");
  });
});

describe("a session of several users, whose events are stored apart,", () => {
  /** Steps with the user and the minute of each. */
  const shared = (...steps: readonly (readonly [user: string, minute: number, step: string])[]) =>
    given(
      ...steps.flatMap(([userId, minute, step]) =>
        session("s1", step).map((one) => ({ ...one, userId, timeMs: noonMs + minute * minuteMs })),
      ),
    );

  test("is walked from one user to the next", async () => {
    shared(["b", 2, "/a"], ["b", 3, "/b"], ["a", 0, "/"], ["a", 1, "/a"], ["c", 4, "buy"]);
    expect(await tree()).toEqual(["page:/a 1/1", "  page:/b 1/1", "    goal:buy 1/1"]);
  });
  test("is walked in order of time where they take turns", async () => {
    shared(["a", 0, "/"], ["a", 2, "/b"], ["b", 1, "/a"], ["b", 3, "/b"], ["b", 4, "click"]);
    expect(await tree()).toEqual([
      "page:/a 1/0",
      "  page:/b 1/0",
      "    event:click 1/0",
      "      drop_off:/b 1/0",
    ]);
  });
  test("is walked in the order in which its events came where they are of one moment", async () => {
    shared(["a", 0, "/"], ["b", 1, "/b"], ["a", 1, "/a"]);
    expect(await tree()).toEqual(["page:/b 1/0", "  page:/a 1/0", "    drop_off:/a 1/0"]);
  });
  test("ends where the bound is reached or the goal is, whoever reaches it", async () => {
    shared(["a", 0, "/"], ["a", 1, "/a"], ["b", 2, "/a"], ["b", 3, "/b"], ["b", 4, "buy"]);
    expect(await tree({ max_steps: 2 })).toEqual([
      "page:/a 1/1",
      "  page:/b 1/1",
      "    truncated:/b 1/1",
    ]);
    expect((await tree({ max_steps: 3 })).at(-1)).toBe("    goal:buy 1/1");
  });
  test("has the page that was seen last as its exit page", async () => {
    shared(["a", 0, "/"], ["a", 1, "/a"], ["b", 2, "click"]);
    expect((await paths())[0]?.exit_pages.map(({ exit_page: page }) => page)).toEqual(["/a"]);
  });
});

test("sessions are those that began on the dates of the zone, wherever they go on", async () => {
  const began = (id: string, path: string, timeMs: number) =>
    [0, 1].map((hour) =>
      event({ sessionId: id, timeMs: timeMs + hour * hourMs, properties: { path } }),
    );
  const midnightMs = noonMs - 17.5 * hourMs; // of that date in Kolkata
  given(
    ...began("s1", "/before", midnightMs - minuteMs),
    ...began("s2", "/first", midnightMs),
    ...began("s3", "/last", midnightMs + dayMs - minuteMs),
    ...began("s4", "/after", midnightMs + dayMs),
    ...began("s5", "/long_before", midnightMs - 2 * dayMs),
    event({ sessionId: "s5", timeMs: noonMs, properties: { path: "/noon" } }),
  );
  const days = { from: dayOf(noonMs), to: dayOf(noonMs), zone: "Asia/Kolkata" };
  const entries = async (cap: number | null) => {
    const request = { ...bounds, candidate_session_cap: cap };
    const answer = await on.engine.read(pathsRead, { projectId, days, request });
    return answer.entry_paths.map(({ entry_page: page }) => page);
  };
  // From the second time on it is known of each session when it began, as the newest had to be found.
  for (const cap of [null, 100, null]) expect(await entries(cap)).toEqual(["/first", "/last"]);
});

test("an exit page is told by the address where the path is none", async () => {
  given(
    ...session("s1", "/ click"),
    event({ sessionId: "s1", timeMs: noonMs + 2 * minuteMs, properties: { url: "/end", path: 7 } }),
  );
  expect(await tree()).toEqual(["event:click 1/0", "  drop_off:/end 1/0"]);
});

test("lists are cut after they were ordered", async () => {
  given(
    ...["s1", "s2"].flatMap((id) => session(id, "/ /b")),
    ...session("s3", "/ /c"),
    ...session("s4", "/ /a"),
    ...session("s5", "/other"),
  );
  expect(drawn((await paths({ entry_limit: 1, path_limit: 2 }))[0]?.tree ?? [])).toEqual([
    "page:/b 2/0",
    "  drop_off:/b 2/0",
    "page:/a 1/0",
    "  drop_off:/a 1/0",
  ]);
  expect(await paths({ entry_limit: 1 })).toHaveLength(1);
});

test("all sessions are walked, however many there are", async () => {
  const count = 20_000;
  const many = Array.from({ length: count }, (_, index) =>
    event({ sessionId: `s${index}`, timeMs: noonMs, properties: { path: "/" } }),
  );
  given(...many, event({ sessionId: "s7", timeMs: noonMs + 1, name: "buy" }));
  expect(await tree()).toEqual([`drop_off:/ ${count - 1}/0`, "goal:buy 1/1"]);
});

test("with a cap only the newest sessions are walked", async () => {
  given(
    ...session("new", "/ /x"),
    event({ sessionId: "old", timeMs: noonMs - 1, properties: { path: "/" } }),
  );
  expect(await paths({ candidate_session_cap: 1 })).toMatchObject([
    { entry_page: "/", sessions: 1 },
  ]);
  expect((await tree({ candidate_session_cap: 1 }))[0]).toBe("page:/x 1/0");
});

test("exit pages say how many left there without converting", async () => {
  given(...session("s1", "/ buy"), ...session("s2", "/ /a"), ...session("s3", "/"));
  expect((await paths())[0]?.exit_pages).toEqual([
    {
      exit_page: "/",
      sessions: 2,
      conversions: 1,
      conversion_rate: 0.5,
      drop_offs: 1,
      drop_off_rate: 0.5,
    },
    {
      exit_page: "/a",
      sessions: 1,
      conversions: 0,
      conversion_rate: 0,
      drop_offs: 1,
      drop_off_rate: 1,
    },
  ]);
});

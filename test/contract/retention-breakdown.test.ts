import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { visitorFields } from "../../src/domain/visitor-field";
import { forgetOldEvents } from "../../src/jobs";
import { dayMs } from "../../src/lib/clock";
import { type Json, noonMs, type TestApp, testApp } from "../support/app/app";

/** GET /retention by a field of visitors or the country, over HTTP. */

let app: TestApp;

const event = (user: string, days: number, more: Json = {}) => ({
  event: "page_view",
  ...{ user_id: user, session_id: `${user}-${days}` },
  timestamp: noonMs - days * dayMs,
  ...more,
});
const from = (utm_source: string, more: Json = {}): Json => ({
  properties: { utm_source, ...more },
});

/** ann and bob came from a letter, of whom ann came back; cy came from Google, di from nowhere; ed has no session. */
beforeAll(async () => {
  app = await testApp();
  await app.track(
    await app.makeProject("shop"),
    event("ann", 3, from("letter", { path: "/hello" })),
    event("ann", 2, { event: "buy", ...from("google") }),
    event("bob", 2, from("letter", { path: "/" })),
    event("cy", 2, from("google", { path: "/" })),
    event("di", 1),
    event("di", 0),
    event("ed", 1, { event: "buy", session_id: undefined }),
  );
});
afterAll(() => app.close());

const asked = (more: Json = {}): string =>
  `/retention?${new URLSearchParams({ project: "shop", period: "day", cohorts: "4", ...more })}`;
const by = async (breakdown: string, more: Json = {}) =>
  (await app.get(asked({ breakdown, ...more }))) as Json & { readonly breakdowns: readonly Json[] };
const valuesBy = async (...of: Parameters<typeof by>) =>
  (await by(...of)).breakdowns.map(({ value, users }) => [value, users]);

describe("a breakdown", () => {
  test("has the cohorts of each value beside those of all", async () => {
    const whole = await app.get(asked());
    expect(whole).not.toHaveProperty("breakdowns");
    expect(whole).not.toHaveProperty("breakdowns_total");
    const cohort = (date: string, retained: readonly number[], complete: number) => ({
      ...{ date, users: retained[0], retained, complete },
      rates: retained.map((count) => count / Number(retained[0])),
    });
    expect(await by("user.first_source")).toEqual({
      ...whole,
      breakdowns: [
        {
          ...{ value: "letter", users: 2, average_rates: [1, 0.5, 0] },
          cohorts: [cohort("2026-01-11", [1, 1, 0, 0], 3), cohort("2026-01-12", [1, 0, 0], 2)],
        },
        {
          ...{ value: "Direct", users: 1, average_rates: [1] },
          cohorts: [cohort("2026-01-13", [1, 1], 1)],
        },
        {
          ...{ value: "Google", users: 1, average_rates: [1, 0] },
          cohorts: [cohort("2026-01-12", [1, 0, 0], 2)],
        },
      ],
      breakdowns_total: 3,
    });
  });
  test("is of the first appearance, which may be an event without a session", async () => {
    const bought = { event: "buy" };
    expect(await valuesBy("user.first_source", bought)).toEqual([
      ["letter", 1],
      [null, 1],
    ]);
    expect(await valuesBy("session.visitor", bought)).toEqual([
      ["returning", 1],
      [null, 1],
    ]);
    expect(await valuesBy("session.visitor")).toEqual([["new", 4]]);
  });
  test("by country is that of the session, or of the event without one", async () => {
    const other = await app.makeProject("countries");
    const store = (
      userId: string,
      sessionId: string | null,
      country: string | null,
      after: number,
    ) => ({
      ...{ eventId: null, name: "buy", timeMs: noonMs - dayMs + after, userId, sessionId, country },
      properties: null,
    });
    const events = [
      ...[store("ann", "a", null, 0), store("ann", "a", "AT", 1), store("ann", "a", "DE", 2)],
      ...[store("bob", null, "DE", 0), store("bob", "b", "AT", 1), store("cy", null, null, 0)],
    ];
    const projectId = other.id;
    await app.deps.store.append([{ kind: "events", projectId, receivedAtMs: noonMs, events }]);
    const of = { project: "countries", event: "buy" };
    expect(await valuesBy("country", of)).toEqual([
      ["AT", 1],
      ["DE", 1],
      [null, 1],
    ]);
    expect(await valuesBy("country", { project: "countries" })).toEqual([["AT", 2]]);
  });
  test("obeys filters and the zone", async () => {
    const filters = JSON.stringify([{ field: "properties.path", op: "eq", value: "/" }]);
    expect(await valuesBy("user.first_entry_page", { filters })).toEqual([["/", 2]]);
    expect(await valuesBy("user.first_date", { tz: "Pacific/Kiritimati" })).toEqual([
      ["2026-01-13", 2],
      ["2026-01-12", 1],
      ["2026-01-14", 1],
    ]);
  });
  test("shows 8 values by default, and clamps another limit to 1 to 20", async () => {
    const many = await app.makeProject("many");
    const users = Array.from({ length: 22 }, (_, at) => String(10 + at));
    await app.track(many, ...users.map((user) => event(user, 1, from(`s${user}`))));
    const shown = async (more: Json) => {
      const answer = await by("user.first_source", { project: "many", ...more });
      expect(answer.breakdowns_total).toBe(22);
      return answer.breakdowns.map(({ value }) => value);
    };
    const sources = users.map((user) => `s${user}`);
    expect(await shown({})).toEqual(sources.slice(0, 8));
    for (const [limit, length] of [
      ["0", 1],
      ["1", 1],
      ["20", 20],
      ["21", 20],
    ] as const) {
      expect(await shown({ breakdown_limit: limit })).toEqual(sources.slice(0, length));
    }
  });
  test("that a limit cuts is a cut of the receipt, with the number of values that are left", async () => {
    const cutsOf = async (answer: Promise<Json>) => ((await answer).receipt as Json).cuts;
    const asked = { project: "many", receipt: "true" };
    const of = (more: Json) => cutsOf(by("user.first_source", { ...asked, ...more }));
    expect(await of({})).toEqual([{ what: "groups", kept: 8 }]);
    expect(await of({ cohorts: "1" })).toEqual([]);
    const steps = ["page_view", "page_view", "page_view"];
    const funnel = { project: "many", steps, breakdown: "user.first_source", breakdown_limit: 2 };
    const cuts = cutsOf(app.post("/funnel", { ...funnel, receipt: true }));
    expect(await cuts).toEqual([{ what: "groups", kept: 2 }]);
  });
  test("takes the fields of visitors and the country, and no other word", async () => {
    for (const field of visitorFields) {
      expect([field, await by(field)]).toMatchObject([field, { users_analyzed: 4 }]);
    }
    for (const word of ["first_source", "session.source", "properties.path", "event", ""]) {
      const answer = await app.send("GET", asked({ breakdown: word }), { key: app.key });
      expect([word, answer.status, await answer.json()]).toMatchObject([
        ...[word, 400],
        { error: "MISSING_FIELDS", field: "breakdown" },
      ]);
    }
  });
});

test("warns of visitors before what is kept, once the project is older than that", async () => {
  const old = await app.makeProject("old");
  await app.track(old, event("ann", 9, from("letter")), event("ann", 1, from("google")));
  await app.send("PATCH", `/projects/${old.id}`, { key: app.key, body: { retention_days: 3 } });
  const project = { project: "old" };
  expect(await by("user.first_source", project)).not.toHaveProperty("warnings");
  app.setTime(noonMs + dayMs);
  await forgetOldEvents(app.deps, noonMs + dayMs);
  const answer = await by("user.first_source", project);
  expect(answer).toMatchObject({ breakdowns: [{ value: "Google", users: 1 }] });
  expect(answer.warnings).toEqual([
    {
      code: "kept_from",
      message: expect.stringContaining("no longer has events from before 2026-01-12, 00:00 UTC"),
      date: "2026-01-12",
    },
  ]);
  // The others have deleted nothing, and their cohorts are not told apart by what came before.
  expect(await by("user.first_source")).not.toHaveProperty("warnings");
  expect(await app.get(asked(project))).not.toHaveProperty("warnings");
  app.setTime(noonMs);
});

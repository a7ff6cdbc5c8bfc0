import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Json, noonMs } from "../../../test/support/app/app";
import {
  app,
  bearer,
  body,
  closeShares,
  create,
  onPlanA,
  openShares,
  outcome,
  query,
  share,
  shop,
} from "../../../test/support/app/shares";
import { minuteMs } from "../../lib/clock";

beforeAll(openShares);
afterAll(closeShares);

const count = async (token: string, asked: Json = {}) => {
  const { rows } = (await body(await query(token, asked))) as { rows: readonly Json[] };
  return rows[0]?.event_count;
};

describe("a share is made", () => {
  test("with all that it says, listed with its address, and revoked for good", async () => {
    const made = await body(
      await create({
        ...{ name: " Agency ", pages: ["events", "events"], frame: ["HTTPS://Agency.example/"] },
        ...{ ...onPlanA, expires_at: "2026-02-01T00:00:00+01:00", password: "secret" },
      }),
    );
    const listed = (await app.get("/shares?project=shop")) as { shares: readonly Json[] };
    expect(listed.shares).toContainEqual(made);
    expect(made).toMatchObject({
      ...{ name: "Agency", pages: ["events"], frame: ["https://agency.example"], ...onPlanA },
      ...{ has_password: true, expires_at: "2026-01-31T23:00:00.000Z" },
      created_at: new Date(noonMs).toISOString(),
    });
    expect(String(made.id)).toMatch(/^shr_[a-z0-9]{16}$/);
    expect(String(made.url)).toMatch(/^http:\/\/localhost:3000\/share\/sht_[0-9a-f]{48}$/);
    const { token, id, path } = await share();
    expect((await app.send("DELETE", `/shares/${id}`, { key: app.key })).status).toBe(200);
    expect(await outcome(await query(token))).toEqual([401, "INVALID_TOKEN"]);
    expect((await app.send("GET", path)).status).toBe(401);
    const again = await app.send("DELETE", `/shares/${id}`, { key: app.key });
    expect(await outcome(again)).toEqual([404, "NOT_FOUND"]);
  });

  test.each<[Json, string, string]>([
    [{ name: " " }, "MISSING_FIELDS", "name"],
    [{ name: "x".repeat(121) }, "MISSING_FIELDS", "name"],
    [{ pages: ["passwords"] }, "MISSING_FIELDS", "pages"],
    [
      { frame: Array.from({ length: 11 }, (_, at) => `https://a${at}.example`) },
      "MISSING_FIELDS",
      "frame",
    ],
    [{ expires_at: "2026-01-14T11:59:59Z" }, "MISSING_FIELDS", "expires_at"],
    [{ expires_at: "soon" }, "MISSING_FIELDS", "expires_at"],
    [{ filters: [{ field: "country", op: "like", value: "D" }] }, "INVALID_FILTER_OP", ""],
    [{ page: ["events"] }, "INVALID_BODY", "page"],
  ])("but not with %j", async (more, code, field) => {
    const answer = await create(more);
    expect(await outcome(answer)).toEqual([400, code, ...(field === "" ? [] : [field])]);
  });

  test("with ten origins that may frame it", async () => {
    const frame = Array.from({ length: 10 }, (_, at) => `https://a${at}.example`);
    expect((await body(await create({ frame }))).frame).toEqual(frame);
  });

  test("but not by an agent, and not the 51st", async () => {
    await app.makeProject("full");
    for (let at = 0; at < 50; at++) await share({ project: "full" });
    const refused = await create({ project: "full" });
    expect(await outcome(refused)).toEqual([400, "MISSING_FIELDS", "project"]);
  });
});

describe("the token of a share", () => {
  test("reads its project by name and id, and no other", async () => {
    const { token } = await share();
    const stats = (project: string) => app.send("GET", `/stats?project=${project}`, bearer(token));
    expect(await outcome(await stats("shop"))).toEqual([200]);
    expect(await outcome(await stats(shop.id))).toEqual([200]);
    expect(await outcome(await stats("blog"))).toEqual([404, "NOT_FOUND"]);
    expect((await stats("shop")).headers.get("x-monthly-usage")).toBeNull();
    const state = await body(await app.send("GET", "/auth/state", bearer(token)));
    expect(state.authenticated).toBe(false);
  });

  test("shows recordings where it names them, and those of no other project", async () => {
    const record = async (project: string, token: string): Promise<string> => {
      await app.post("/replays/enable", { project });
      const start = { token, session_id: "s1" };
      const started = await app.send("POST", "/replays/ingest/start", { body: start });
      return String((await body(started)).replay_id);
    };
    const own = await record("shop", shop.token);
    const blog = await app.get("/projects/blog");
    const others = await record("blog", String(blog.project_token));
    const named = (await share({ pages: ["replays"] })).token;
    const plain = (await share()).token;
    const filtered = (await share({ ...onPlanA, pages: ["replays"] })).token;
    const calls = (id: string): readonly (readonly [string, string])[] => [
      ["GET", `/replays/${id}`],
      ["GET", `/replays/${id}/timeline`],
      ["POST", `/replays/${id}/open`],
    ];
    for (const [method, path] of [...calls(own), ["GET", "/replays?project=shop"] as const]) {
      const status = async (token: string) => (await app.send(method, path, bearer(token))).status;
      // Nothing has been recorded yet that could be watched.
      const isOpen = path.endsWith("/open");
      expect([path, await status(named)]).toEqual([path, isOpen ? 409 : 200]);
      expect([path, await status(plain), await status(filtered)]).toEqual([path, 403, 403]);
    }
    for (const [method, path] of calls(others)) {
      const refused = await outcome(await app.send(method, path, bearer(named)));
      expect([path, ...refused]).toEqual([path, 403, "FORBIDDEN"]);
    }
    for (const [method, path] of [
      ["DELETE", `/replays/${own}`],
      ["GET", "/replays/settings?project=shop"],
    ] as const) {
      expect((await app.send(method, path, bearer(named))).status).toBe(403);
    }
    expect((await app.send("GET", "/replays?project=blog", bearer(named))).status).toBe(404);
  });

  test("has its filters in every count, whatever else is asked", async () => {
    const plain = await share();
    const { token } = await share(onPlanA);
    expect([await count(plain.token), await count(token)]).toEqual([4, 2]);
    const others = [{ field: "properties.plan", op: "eq", value: "b" }];
    expect(await count(token, { filters: others })).toBe(0);
    const signups = [{ field: "event", op: "eq", value: "signup" }];
    expect(await count(token, { filters: signups })).toBe(1);
  });

  test("has its filters in each of several questions", async () => {
    const { token } = await share(onPlanA);
    const queries = [{}, { filters: [{ field: "event", op: "eq", value: "signup" }] }, {}];
    const raw = queries.map((query) => ({ ...query, count_mode: "raw" }));
    const answer = await app.send("POST", "/query", {
      ...bearer(token),
      body: { project: "shop", queries: raw },
    });
    const { results } = (await body(answer)) as { results: readonly { rows: readonly Json[] }[] };
    expect(results.map(({ rows }) => rows[0]?.event_count)).toEqual([2, 1, 2]);
    const people = { queries: [{}, { group_by: ["user_id"] }] };
    expect(await outcome(await query(token, { count_mode: null, ...people }))).toEqual([
      403,
      "FORBIDDEN",
    ]);
  });

  test("finds what users did among the events that its filters leave, in a filter and in a goal", async () => {
    const { token } = await share(onPlanA);
    const everybody = await share();
    const isPro = { field: "properties.plan", op: "eq", value: "a" };
    const others = [{ field: "event", op: "eq", value: "none" }];
    const asked = (did: string): readonly Json[] => [
      { filters: [{ did }] },
      { filters: [{ any: [{ did }, ...others] }] },
      { metrics: ["conversions"], goal: { event: "signup", filters: [{ did }, isPro] } },
      { filters: [{ did: "signup", filters: [isPro] }, { did }] },
    ];
    const numbers = async (by: string, did: string) =>
      Promise.all(
        asked(did).map(async (question) => {
          const { rows } = (await body(await query(by, question))) as { rows: readonly Json[] };
          return Object.values(rows[0] ?? {})[0];
        }),
      );
    // Bob, on the other plan, paid.
    expect(await numbers(everybody.token, "pay")).toEqual([2, 2, 0, 0]);
    expect(await numbers(token, "pay")).toEqual([0, 0, 0, 0]);
    expect(await numbers(token, "signup")).toEqual([2, 2, 1, 2]);
  });

  test("is refused where its filters cannot be applied, rather than answered without", async () => {
    const { token } = await share({
      ...onPlanA,
      pages: ["events", "sessions", "journeys", "user_id"],
    });
    const asked: readonly [string, string, Json?][] = [
      ["GET", "/stats?project=shop"],
      ["GET", "/events?project=shop"],
      ["GET", "/properties?project=shop"],
      ["GET", "/properties/received?project=shop"],
      ["GET", "/breakdown?project=shop&property=plan"],
      ["GET", "/bot-traffic?project=shop"],
      ["GET", "/insights?project=shop"],
      ["GET", "/pages?project=shop"],
      ["GET", "/sessions?project=shop"],
      ["GET", "/sessions/distribution?project=shop"],
      ["GET", "/heatmap?project=shop"],
      ["GET", "/retention?project=shop"],
      ["GET", "/journey?project=shop&user_id=bob"],
      ["GET", "/live?project=shop"],
      ["GET", "/trust?project=shop"],
      ["GET", "/projects/shop"],
      ["GET", "/projects/shop/usage"],
      ["POST", "/paths", { goal_event: "pay" }],
      ["POST", "/funnel", { steps: ["signup", "pay"] }],
    ];
    for (const [method, path, more] of asked) {
      const sent = more && { body: { project: "shop", ...more } };
      const answer = await app.send(method, path, { ...bearer(token), ...sent });
      // Whichever of them learns to filter answers; none tells of plan b or of who has it.
      const text = await answer.text();
      // A question that names an event is answered with its name.
      const hidden = more === undefined ? /"bob"|"pay"|"b"/ : /"bob"|"b"/;
      if (answer.status !== 200) expect([path, answer.status]).toEqual([path, 403]);
      else expect([path, text]).toEqual([path, expect.not.stringMatching(hidden)]);
    }
  });

  test("learns nothing of what is filtered out from warnings and suggestions", async () => {
    const { token } = await share(onPlanA);
    // An event of plan b is one that nobody has sent.
    const isUnknown = (event: string) => [{ code: "unknown_event", event }];
    for (const name of ["pay", "nothing"]) {
      const named = { filters: [{ field: "event", op: "eq", value: name }] };
      expect((await body(await query(token, named))).warnings).toMatchObject(isUnknown(name));
      const paths = { body: { project: "shop", goal_event: name } };
      for (const answer of [
        await app.send("POST", "/paths", { ...bearer(token), ...paths }),
        await app.send("GET", `/retention?project=shop&event=${name}`, bearer(token)),
      ]) {
        expect((await body(answer)).warnings).toMatchObject(isUnknown(name));
      }
    }
    const misspelt = { filters: [{ field: "plam", op: "eq", value: "a" }] };
    const { error, available_properties: available } = await body(await query(token, misspelt));
    expect(error).toBe("INVALID_FILTER_FIELD");
    expect(available).toMatchObject({ property_keys: ["plan", "path"] });
    const events = (available as { events: readonly Json[] }).events;
    expect(events.map(({ event }) => event).sort()).toEqual(["<b>&", "signup"]);
  });

  test("shows nobody, unless its pages say so", async () => {
    const { token } = await share();
    const all = await share({
      pages: ["events", "sessions", "journeys", "identity", "user_id", "session_id"],
    });
    const asked: readonly [string, string, Json?][] = [
      ["GET", "/events?project=shop"],
      ["GET", "/sessions?project=shop"],
      ["GET", "/journey?project=shop&user_id=ann"],
      ["POST", "/query", { group_by: ["user_id"] }],
      ["POST", "/query", { groupBy: ["session_id"] }],
      ["POST", "/query", { user_id: "ann" }],
      ["POST", "/query", { email: "ann@example.com" }],
      ["GET", "/trust?project=shop&show=true"],
      ["POST", "/query", { filters: [{ field: "user_id", op: "contains", value: "a" }] }],
    ];
    for (const [method, path, more] of asked) {
      const sent = more && { body: { project: "shop", ...more } };
      const ask = (by: string) => app.send(method, path, { ...bearer(by), ...sent });
      expect([path, more, (await ask(token)).status]).toEqual([path, more, 403]);
      expect([path, more, (await ask(all.token)).status]).toEqual([path, more, 200]);
    }
    const funnel = { project: "shop", steps: ["signup", "pay"], count_by: "session_id" };
    const counted = await app.send("POST", "/funnel", { ...bearer(token), body: funnel });
    expect(counted.status).toBe(200);
  });

  test("may ask 600 times a minute, and so may that of another share", async () => {
    const { token } = await share();
    const other = await share();
    const status = async (by: string) =>
      (await app.send("GET", "/project-context?project=shop", bearer(by))).status;
    for (let asked = 0; asked < 600; asked++) expect(await status(token)).toBe(200);
    expect(await status(token)).toBe(429);
    expect(await status(other.token)).toBe(200);
    app.setTime(noonMs + minuteMs);
    expect(await status(token)).toBe(200);
    app.setTime(noonMs);
  });

  test("is over when it expires, and when its project goes", async () => {
    const { token, path } = await share({ expires_at: new Date(noonMs + minuteMs).toISOString() });
    expect((await query(token)).status).toBe(200);
    app.setTime(noonMs + minuteMs);
    expect(await outcome(await query(token))).toEqual([401, "INVALID_TOKEN"]);
    expect((await app.send("GET", path)).status).toBe(401);
    app.setTime(noonMs);
    await app.makeProject("gone");
    const gone = await share({ project: "gone" });
    await app.send("DELETE", "/projects/gone", { key: app.key });
    expect((await app.send("GET", gone.path)).status).toBe(401);
  });
});

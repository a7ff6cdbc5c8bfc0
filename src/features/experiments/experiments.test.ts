import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Json, type TestApp, type TestProject, testApp } from "../../../test/support/app/app";

let app: TestApp;
let shop: TestProject;
beforeAll(async () => {
  app = await testApp({ REGISTRATION: "open" });
  shop = await app.makeProject("shop");
});
afterAll(() => app.close());

const noon = Date.UTC(2026, 0, 14, 12);
const minute = 60_000;
const own = { origin: "http://localhost:3000" };

const request = (name: string, more: Json = {}) => ({
  project: "shop",
  name,
  variants: ["control", "clear"],
  goal_event: "signup",
  ...more,
});
const create = (name: string, more: Json = {}) =>
  app.post("/experiments", request(name, more)) as Promise<Json & { id: string }>;

async function refusal(method: string, path: string, body?: unknown, key = app.key) {
  const answer = await app.send(method, path, { key, ...(body === undefined ? {} : { body }) });
  const { error, field } = (await answer.json()) as { error?: string; field?: string };
  return [answer.status, error, field].filter((part) => part !== undefined).join(" ");
}
const createRefusal = (body: unknown) => refusal("POST", "/experiments", body);

describe("POST /experiments", () => {
  test("answers the record, active, with equal weights", async () => {
    const { id: accountId } = await app.get("/account");
    const answer = await app.send("POST", "/experiments", {
      key: app.key,
      body: request("signup_cta"),
    });
    expect(answer.status).toBe(201);
    const record = (await answer.json()) as Json;
    expect(record).toEqual({
      id: expect.stringMatching(/^exp_[a-z0-9]{16}$/),
      project_id: shop.id,
      account_id: accountId,
      name: "signup_cta",
      variants: [
        { key: "control", weight: 50 },
        { key: "clear", weight: 50 },
      ],
      goal_event: "signup",
      status: "active",
      winner: null,
      created_at: "2026-01-14T12:00:00.000Z",
      updated_at: "2026-01-14T12:00:00.000Z",
      completed_at: null,
    });
  });

  test("gives the remainder of equal weights to the first", async () => {
    const weightsOf = async (name: string, variants: readonly string[], weights?: unknown) => {
      const record = await create(name, { variants, weights });
      return (record.variants as { weight: number }[]).map(({ weight }) => weight);
    };
    expect(await weightsOf("three", ["a", "b", "c"])).toEqual([34, 33, 33]);
    expect(await weightsOf("four", ["a", "b", "c", "d"])).toEqual([25, 25, 25, 25]);
    expect(await weightsOf("null_is_absent", ["a", "b"], null)).toEqual([50, 50]);
    expect(await weightsOf("uneven", ["a", "b", "c"], [90, 10, 0])).toEqual([90, 10, 0]);
  });

  test("refuses lists, keys and weights that are no variants", async () => {
    const bad: readonly Json[] = [
      { variants: [] },
      { variants: ["one"] },
      { variants: ["a", "b", "c", "d", "e"] },
      { variants: ["a", "a"] },
      { variants: ["Clear", "clear"] },
      { variants: ["a", ""] },
      { variants: ["a", "b b"] },
      { variants: ["a", "é"] },
      { variants: ["a", "b".repeat(65)] },
      { weights: [] },
      { weights: [100] },
      { weights: [50, 25, 25] },
      { weights: [50, 49] },
      { weights: [101, -1] },
      { weights: [50.5, 49.5] },
    ];
    for (const fields of bad) {
      expect([fields, await createRefusal(request("bad", fields))]).toEqual([
        fields,
        "400 INVALID_VARIANTS",
      ]);
    }
    const record = await create("longest_keys", { variants: ["a".repeat(64), "b".repeat(64)] });
    expect(record.status).toBe("active");
  });

  test("refuses wrong types and other fields by their names", async () => {
    expect(await createRefusal(request("x", { variants: "a,b" }))).toBe(
      "400 INVALID_BODY variants",
    );
    expect(await createRefusal(request("x", { variants: ["a", 1] }))).toBe(
      "400 INVALID_BODY variants[1]",
    );
    expect(await createRefusal(request("x", { weights: ["50", "50"] }))).toBe(
      "400 INVALID_BODY weights[0]",
    );
    for (const name of ["", "two words", "dotted.name", "n".repeat(65), "ü"]) {
      expect([name, await createRefusal(request(name))]).toEqual([name, "400 MISSING_FIELDS name"]);
    }
    for (const goal_event of ["", null, "g".repeat(257)]) {
      expect(await createRefusal(request("x", { goal_event }))).toBe(
        "400 MISSING_FIELDS goal_event",
      );
    }
    expect(await createRefusal(request("x", { variants: null }))).toBe(
      "400 MISSING_FIELDS variants",
    );
    expect(await createRefusal(request("x", { project: null }))).toBe("400 PROJECT_REQUIRED");
    expect(await createRefusal(request("x", { project: "shed", variants: [] }))).toBe(
      "404 NOT_FOUND",
    );
    expect((await create("n".repeat(64), { goal_event: "😀".repeat(256) })).status).toBe("active");
  });

  test("names are taken per project, by case, whatever became of the experiment", async () => {
    const { id } = await create("hero");
    expect(await createRefusal(request("hero"))).toBe("409 EXPERIMENT_NAME_EXISTS");
    expect((await create("Hero")).name).toBe("Hero");
    for (const status of ["paused", "completed"]) {
      await app.send("PATCH", `/experiments/${id}`, { key: app.key, body: { status } });
      expect(await createRefusal(request("hero"))).toBe("409 EXPERIMENT_NAME_EXISTS");
    }
    await app.makeProject("blog");
    expect((await create("hero", { project: "blog" })).name).toBe("hero");
    await app.send("DELETE", `/experiments/${id}`, { key: app.key });
    expect((await create("hero")).name).toBe("hero");
  });
});

describe("GET /experiments", () => {
  test("lists the records of a project, newest first, also those of one moment", async () => {
    await app.makeProject("listed");
    const names = ["first", "second", "third"];
    for (const name of names) await create(name, { project: "listed" });
    app.setTime(noon + minute);
    const last = await create("last", { project: "listed" });
    app.setTime(noon);
    const list = await app.get("/experiments?project=listed");
    const { experiments, ...rest } = list as { experiments: Json[] };
    expect(rest).toEqual({ project: "listed" });
    expect(experiments.map(({ name }) => name)).toEqual(["last", "third", "second", "first"]);
    expect(experiments[0]).toEqual(last);
  });
});

describe("GET /experiments/{id}", () => {
  test("carries the project's context, with annotations from its creation to today", async () => {
    await app.makeProject("annotated");
    const { id } = await create("hero", { project: "annotated" });
    const day = 24 * 60 * minute;
    const annotations = [-2, -1, 0, 1, 2].map((offset) => ({
      occurred_at: new Date(noon + offset * day).toISOString(),
      title: `day ${offset}`,
    }));
    expect(Object.keys(await app.get(`/experiments/${id}`))).not.toContain("project_context");
    const body = { project: "annotated", goals: ["Sell more"], annotations };
    await app.send("PUT", "/project-context", { key: app.key, body });
    const { project_context: context } = (await app.get(`/experiments/${id}`)) as {
      project_context?: { goals: unknown; annotations: { title: string }[] };
    };
    expect(context?.goals).toEqual(["Sell more"]);
    expect(context?.annotations.map(({ title }) => title)).toEqual(["day -1", "day 0", "day 1"]);
  });

  test("counts as a read of the project, and says so in the headers", async () => {
    const project = await app.makeProject("read");
    const { id } = await create("hero", { project: "read" });
    const reads = async () => (await app.get(`/projects/${project.id}`)).total_reads;
    expect(await reads()).toBe(0);
    const answer = await app.send("GET", `/experiments/${id}`, { key: app.key });
    expect(answer.headers.get("x-monthly-usage")).toMatch(/^\d+$/);
    expect(answer.headers.get("server-timing")).toContain("store;dur=");
    expect(await reads()).toBe(1);
    await app.get("/experiments?project=read");
    expect(await reads()).toBe(2);
    await app.send("GET", "/experiments/exp_0000000000000000", { key: app.key });
    expect(await reads()).toBe(2);
  });
});

describe("PATCH /experiments/{id}", () => {
  const patch = (id: string, body: unknown) => refusal("PATCH", `/experiments/${id}`, body);

  test("follows the transitions, and no others", async () => {
    const allowed: Readonly<Record<string, readonly string[]>> = {
      active: ["paused", "completed"],
      paused: ["active", "completed"],
      completed: [],
    };
    const statuses = Object.keys(allowed);
    for (const from of statuses) {
      for (const to of statuses) {
        const { id } = await create(`${from}-to-${to}`);
        if (from !== "active") await patch(id, { status: from });
        const isAllowed = allowed[from]?.includes(to) === true;
        expect([from, to, await patch(id, { status: to })]).toEqual([
          from,
          to,
          isAllowed ? "200" : "400 INVALID_EXPERIMENT_STATUS",
        ]);
      }
    }
  });

  test("completing sets the time and may name a winner", async () => {
    const { id } = await create("completed-with-winner");
    app.setTime(noon + minute);
    const answer = await app.send("PATCH", `/experiments/${id}`, {
      key: app.key,
      body: { status: "completed", winner: "clear" },
    });
    app.setTime(noon);
    expect(await answer.json()).toMatchObject({
      id,
      status: "completed",
      winner: "clear",
      created_at: "2026-01-14T12:00:00.000Z",
      updated_at: "2026-01-14T12:01:00.000Z",
      completed_at: "2026-01-14T12:01:00.000Z",
    });
  });

  test("refuses a status that is none, and a winner that cannot be", async () => {
    const { id } = await create("refused-changes");
    expect(await patch(id, {})).toBe("400 MISSING_FIELDS status");
    expect(await patch(id, { status: null })).toBe("400 MISSING_FIELDS status");
    expect(await patch(id, { status: "over" })).toBe("400 MISSING_FIELDS status");
    expect(await patch(id, { status: 1 })).toBe("400 INVALID_BODY status");
    expect(await patch(id, { status: "paused", winner: "clear" })).toBe("400 INVALID_VARIANTS");
    expect(await patch(id, { status: "completed", winner: "Clear" })).toBe("400 INVALID_VARIANTS");
    expect(await patch(id, { status: "completed", winner: "" })).toBe("400 INVALID_VARIANTS");
    expect(await patch(id, { status: "completed", winner: null })).toBe("200");
  });
});

describe("an experiment that is not there", () => {
  const ways = [
    ["GET", undefined],
    ["PATCH", { status: "paused" }],
    ["DELETE", undefined],
  ] as const;

  test("is told apart from another account's, before its fields are looked at", async () => {
    const { id } = await create("foreign");
    const key = await otherAccount("other@example.com");
    for (const [method, body] of ways) {
      const on = (which: string) => refusal(method, `/experiments/${which}`, body, key);
      expect(await on("exp_0000000000000000")).toBe("404 EXPERIMENT_NOT_FOUND");
      expect(await on("%00")).toBe("404 EXPERIMENT_NOT_FOUND");
      expect(await on(id)).toBe("403 FORBIDDEN");
    }
    expect(await refusal("PATCH", `/experiments/${id}`, {}, key)).toBe("403 FORBIDDEN");
    expect(await refusal("PATCH", `/experiments/${id}`, { status: 1 }, key)).toBe(
      "400 INVALID_BODY status",
    );
  });

  test("goes with its project", async () => {
    const project = await app.makeProject("short-lived");
    const { id } = await create("gone", { project: "short-lived" });
    await app.send("DELETE", `/projects/${project.id}`, { key: app.key });
    for (const [method, body] of ways) {
      expect(await refusal(method, `/experiments/${id}`, body)).toBe("404 EXPERIMENT_NOT_FOUND");
    }
  });

  async function otherAccount(email: string): Promise<string> {
    const password = "correct horse battery";
    const made = await app.send("POST", "/auth/signup", { body: { email, password } });
    const cookie = (made.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
    const answer = await app.send("POST", "/account/api-key", { headers: { ...own, cookie } });
    return ((await answer.json()) as { api_key: string }).api_key;
  }
});

test("DELETE /experiments/{id} leaves the events", async () => {
  const project = await app.makeProject("kept");
  const { id } = await create("kept", { project: "kept" });
  await app.track(project, { event: "signup" });
  const answer = await app.send("DELETE", `/experiments/${id}`, { key: app.key });
  expect([answer.status, await answer.json()]).toEqual([200, { ok: true, deleted: id }]);
  expect(await refusal("DELETE", `/experiments/${id}`)).toBe("404 EXPERIMENT_NOT_FOUND");
  expect(await app.get("/events?project=kept")).toMatchObject({ count: 1 });
});

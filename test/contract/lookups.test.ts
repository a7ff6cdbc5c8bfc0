import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { clock } from "../../src/lib/clock";
import { account } from "../../src/store/control/tables";
import { type Json, noonMs, type TestApp, type TestProject, testApp } from "../support/app/app";
import { ownerOf } from "../support/app/owner";

/** Lookups by address and across portfolios: definitions.md, Identity. */

const minuteMs = 60_000;
const address = "ada@example.org";

let app: TestApp;
let shop: TestProject;
let blog: TestProject;
let docs: TestProject;
beforeEach(async () => {
  app = await testApp();
  shop = await app.makeProject("shop");
  blog = await app.makeProject("blog");
  docs = await app.makeProject("docs");
});
afterEach(() => app.close());

const portfolio = (slug: string, ...projects: string[]) =>
  app.post("/portfolios", { slug, name: slug, projects });
async function setMembers(slug: string, ...projects: string[]): Promise<void> {
  const body = { projects, allow_move: true };
  const { status } = await app.send("PATCH", `/portfolios/${slug}`, { key: app.key, body });
  expect(status).toBe(200);
}
const identify = ({ token }: TestProject, previous_id: string, user_id: string, email?: string) =>
  app.post("/identify", {
    token,
    previous_id,
    user_id,
    ...(email === undefined ? {} : { traits: { email, plan: "pro" } }),
  });
/** An event of a user, the given number of minutes before noon. */
const visit = (project: TestProject, user_id: string, event: string, minutes = 0) =>
  app.track(project, { event, user_id, timestamp: noonMs - minutes * minuteMs });

interface Found {
  readonly matched_user_ids: readonly string[];
  readonly events: readonly { readonly event: string; readonly project_id: string }[];
  readonly profiles: readonly Json[];
}
const lookUp = async (path: string, project: TestProject, asked: object): Promise<Found> =>
  (await app.post(path, { project: project.name, ...asked })) as unknown as Found;
const matched = async (project: TestProject, asked: object) => {
  const { matched_user_ids: ids } = await lookUp("/events/lookup", project, asked);
  expect((await lookUp("/journey/lookup", project, asked)).matched_user_ids).toEqual(ids);
  return ids;
};
const names = ({ events }: Found) => events.map(({ event }) => event);
const refusal = async (path: string, body: object, call: object = { key: app.key }) => {
  const answer = await app.send("POST", path, { ...call, body });
  const { error, field } = (await answer.json()) as Json;
  return [answer.status, error, field].filter((part) => part !== undefined);
};

describe("an address in one project", () => {
  test("finds the ids it came with, as they are mapped today", async () => {
    await visit(shop, "anon", "page_view", 3);
    await identify(shop, "anon", "ann", address);
    await visit(shop, "ann", "buy", 1);
    await identify(shop, "phone", "phone", address);
    await visit(shop, "phone", "open");
    expect(await matched(shop, { email: ` ${address.toUpperCase()} ` })).toEqual(["ann", "phone"]);
    expect(names(await lookUp("/events", shop, { email: address }))).toEqual([
      "open",
      "buy",
      "page_view",
    ]);
    expect(names(await lookUp("/events", shop, { email: address, event: "buy" }))).toEqual(["buy"]);
    const journey = await lookUp("/journey", shop, { email: address, limit: 2 });
    expect(journey).toMatchObject({
      user_id: null,
      count: 2,
      profiles: [
        { user_id: "ann", project: "shop", traits: { plan: "pro" }, last_seen: noonMs - minuteMs },
        { user_id: "phone", traits: { plan: "pro" }, first_seen: noonMs },
      ],
    });
    expect(names(journey)).toEqual(["buy", "open"]);
    await identify(shop, "ann", "account 1");
    expect(await matched(shop, { email: address })).toEqual(["account 1", "phone"]);
  });

  test("joins the id that was asked for, and ties no ids without a portfolio", async () => {
    await identify(shop, "ann", "ann", address);
    await identify(shop, "phone", "phone", address);
    expect(await matched(shop, { email: address, user_id: "cy" })).toEqual(["ann", "cy", "phone"]);
    expect(await matched(shop, { user_id: "ann" })).toEqual(["ann"]);
  });

  test("is found in no other project", async () => {
    await identify(shop, "ann", "ann", address);
    await visit(blog, "ann", "read");
    const empty = { matched_user_ids: [], events: [], count: 0, profiles: [] };
    const nobody = { project: "blog", user_id: null, ...empty };
    expect(await lookUp("/journey", blog, { email: address })).toEqual(
      expect.objectContaining(nobody),
    );
  });

  test("must look like one, and stands in no query string", async () => {
    for (const path of ["/events", "/events/lookup", "/journey", "/journey/lookup", "/query"]) {
      for (const email of ["ada", "", " ", "a@b@c", `${"a".repeat(253)}@b`]) {
        expect(await refusal(path, { project: "shop", email })).toEqual([
          ...[400, "MISSING_FIELDS", "email"],
        ]);
      }
      expect(await refusal(path, { project: "shop", email: 7 })).toEqual([
        ...[400, "INVALID_BODY", "email"],
      ]);
    }
    await identify(shop, "ann", "ann", address);
    const { key } = app;
    const inQuery = await app.send("GET", `/events?project=shop&email=${address}`, { key });
    expect([inQuery.status, (await inQuery.json()) as Json]).toMatchObject([
      400,
      { field: "email" },
    ]);
    const journey = await app.send("GET", `/journey?project=shop&email=${address}`, { key });
    expect([journey.status, (await journey.json()) as Json]).toMatchObject([
      400,
      { error: "INVALID_BODY", field: "email" },
    ]);
  });

  test("is not looked up for the demo", async () => {
    const { db, agents } = app.deps.control;
    const accountId = String((await app.get("/account")).id);
    const scopes = ["analytics:read"];
    const made = agents.addSession(
      { ...ownerOf(app.deps.control, accountId), scopes, clientType: "cli" },
      clock.nowMs(),
    );
    app.deps.control.write(() => {
      db.update(account).set({ isDemo: true }).where(eq(account.id, accountId)).run();
    });
    const call = { headers: { authorization: `Bearer ${made.accessToken}` } };
    for (const path of ["/query", "/journey", "/events/lookup"]) {
      expect(await refusal(path, { project: "shop", email: address }, call)).toEqual([
        403,
        "DEMO_READ_ONLY",
      ]);
    }
    const body = { project: "shop", user_id: "ann" };
    expect((await app.send("POST", "/query", { ...call, body })).status).toBe(200);
  });
});

describe("in a portfolio", () => {
  test("ids that members name together are one person, everywhere in it", async () => {
    await portfolio("one", "shop", "blog");
    await identify(shop, "anon", "ann");
    await identify(blog, "anon", "reader");
    await identify(docs, "reader", "outsider");
    const set = ["ann", "anon", "reader"];
    for (const user_id of set) {
      expect(await matched(shop, { user_id })).toEqual(set);
      expect(await matched(blog, { user_id })).toEqual(set);
    }
    expect(await matched(docs, { user_id: "reader" })).toEqual(["outsider"]);
  });

  test("a journey goes through all members, an events lookup through one", async () => {
    await portfolio("one", "shop", "blog");
    await visit(docs, "ann", "elsewhere");
    await visit(blog, "anon", "read", 9);
    await visit(shop, "ann", "buy", 7);
    await visit(blog, "anon", "read more", 7);
    await visit(shop, "ann", "return", 1);
    await identify(shop, "anon", "ann", address);
    const journey = await lookUp("/journey", shop, { user_id: "ann" });
    expect(journey).toMatchObject({ user_id: "ann", count: 4 });
    expect(names(journey)).toEqual(["read", "buy", "read more", "return"]);
    expect(journey.events.map(({ project_id }) => project_id)).toEqual([
      ...[blog.id, shop.id, blog.id, shop.id],
    ]);
    const seen = (minutes: number) => noonMs - minutes * minuteMs;
    expect(journey.profiles).toEqual([
      {
        ...{ user_id: "ann", project: "shop", project_id: shop.id, traits: { plan: "pro" } },
        ...{ first_seen: seen(7), last_seen: seen(1) },
      },
      {
        ...{ user_id: "anon", project: "blog", project_id: blog.id, traits: {} },
        ...{ first_seen: seen(9), last_seen: seen(7) },
      },
    ]);
    expect(names(await lookUp("/journey", blog, { email: address, limit: 2 }))).toEqual([
      "read more",
      "return",
    ]);
    expect(names(await lookUp("/events/lookup", blog, { user_id: "ann" }))).toEqual([
      "read more",
      "read",
    ]);
    expect(await app.get("/journey?project=blog&user_id=anon&limit=1")).toMatchObject({
      matched_user_ids: ["ann", "anon"],
      events: [{ event: "return" }],
    });
  });

  test("a query counts the person's events of the named project", async () => {
    await portfolio("one", "shop", "blog");
    await visit(blog, "anon", "read", 9);
    await visit(blog, "cy", "read", 9);
    await visit(shop, "ann", "buy", 7);
    await identify(shop, "anon", "ann", address);
    const rows = async (project: string, asked: object) =>
      (await app.post("/query", { project, group_by: ["user_id"], ...asked })).rows;
    const ofAnon = [{ user_id: "anon", event_count: 1 }];
    expect(await rows("blog", { email: address })).toEqual(ofAnon);
    expect(await rows("blog", { user_id: "ann" })).toEqual(ofAnon);
    expect(await rows("shop", { user_id: "anon", email: "nobody@example.org" })).toEqual([
      { user_id: "ann", event_count: 1 },
    ]);
    expect(await rows("blog", { email: "nobody@example.org" })).toEqual([]);
    expect(await rows("docs", { email: address })).toEqual([]);
    expect(await rows("blog", { email: null, user_id: null })).toHaveLength(2);
  });

  test("two ids with one address in one scope are one person", async () => {
    await portfolio("one", "shop", "blog");
    await identify(shop, "ann", "ann", address);
    await identify(blog, "reader", "reader", address.toUpperCase());
    for (const project of [shop, blog]) {
      expect(await matched(project, { email: address })).toEqual(["ann", "reader"]);
      expect(await matched(project, { user_id: "ann" })).toEqual(["ann", "reader"]);
    }
  });

  test("an address that was told before is found through its project only, until it is told again", async () => {
    await identify(shop, "ann", "ann", address);
    await portfolio("one", "shop", "blog");
    await visit(shop, "ann", "buy");
    expect(await matched(shop, { email: address })).toEqual(["ann"]);
    expect(await matched(blog, { email: address })).toEqual([]);
    await identify(shop, "ann", "ann", address);
    expect(await matched(blog, { email: address })).toEqual(["ann"]);
    expect(names(await lookUp("/journey", blog, { email: address }))).toEqual(["buy"]);
  });
});

describe("a project that leaves", () => {
  test("takes with it what it told, and comes back with nothing", async () => {
    await portfolio("one", "shop", "blog", "docs");
    await identify(shop, "anon", "ann", address);
    await identify(blog, "anon", "reader");
    const all = ["ann", "anon", "reader"];
    expect(await matched(docs, { email: address })).toEqual(all);
    await setMembers("one", "blog", "docs");
    expect(await matched(docs, { email: address })).toEqual([]);
    expect(await matched(docs, { user_id: "anon" })).toEqual(["anon", "reader"]);
    expect(await matched(docs, { user_id: "ann" })).toEqual(["ann"]);
    expect(await matched(shop, { email: address })).toEqual(["ann"]);
    await setMembers("one", "blog", "docs", "shop");
    expect(await matched(docs, { email: address })).toEqual([]);
    expect(await matched(docs, { user_id: "ann" })).toEqual(["ann"]);
    await identify(shop, "anon", "ann", address);
    expect(await matched(docs, { email: address })).toEqual(all);
  });

  test("for another portfolio tells that one only what comes then", async () => {
    await portfolio("one", "shop", "blog");
    await portfolio("two", "docs");
    await identify(shop, "anon", "ann", address);
    await setMembers("two", "docs", "shop");
    expect(await matched(docs, { user_id: "ann" })).toEqual(["ann"]);
    expect(await matched(docs, { email: address })).toEqual([]);
    expect(await matched(blog, { user_id: "ann" })).toEqual(["ann"]);
    await identify(shop, "anon", "ann", address);
    expect(await matched(docs, { email: address })).toEqual(["ann", "anon"]);
    expect(await matched(blog, { user_id: "ann" })).toEqual(["ann"]);
  });

  test("because it or the portfolio is deleted, is gone from journeys", async () => {
    await portfolio("one", "shop", "blog");
    await visit(shop, "ann", "buy", 1);
    await visit(blog, "anon", "read");
    await identify(shop, "anon", "ann");
    expect(names(await lookUp("/journey", blog, { user_id: "ann" }))).toEqual(["buy", "read"]);
    await app.send("DELETE", "/projects/shop", { key: app.key });
    expect(await lookUp("/journey", blog, { user_id: "ann" })).toMatchObject({
      matched_user_ids: ["ann"],
      events: [],
    });
    await portfolio("two", "docs");
    await setMembers("two", "docs", "blog");
    await identify(blog, "anon", "reader");
    expect(await matched(docs, { user_id: "anon" })).toEqual(["anon", "reader"]);
    await app.send("DELETE", "/portfolios/two", { key: app.key });
    expect(await matched(docs, { user_id: "anon" })).toEqual(["anon"]);
    expect(await matched(blog, { user_id: "anon" })).toEqual(["reader"]);
  });
});

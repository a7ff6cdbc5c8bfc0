import { describe, expect, test } from "bun:test";
import { type Json, noonMs, type TestApp } from "../../../test/support/app/app";
import { eachWithOwnAccount } from "../../../test/support/app/own-account";
import { portfolioProjectsMax } from "../../domain/limits";
import { portfolioNameCharsMax } from "./schema";

let app: TestApp;
let ids: Readonly<Record<string, string>>;
eachWithOwnAccount(async (own) => {
  app = own;
  const made = ["shop", "blog", "docs"].map((name) => app.makeProject(name));
  ids = Object.fromEntries((await Promise.all(made)).map(({ id, name }) => [name, id]));
});

const call = (method: string, path: string, body?: Json, key = app.key) =>
  app.send(method, path, { key, ...(body === undefined ? {} : { body }) });
const jsonOf = async (response: Response): Promise<Json> => (await response.json()) as Json;
const answer = async (method: string, path: string, body?: Json): Promise<Json> => {
  const response = await call(method, path, body);
  const json = await jsonOf(response);
  expect({ status: response.ok, json }).toEqual({ status: true, json });
  return json;
};
const refusal = async (method: string, path: string, body?: Json, key = app.key) => {
  const response = await call(method, path, body, key);
  const { error, field, projects } = await jsonOf(response);
  return [response.status, error, field ?? projects].filter((part) => part !== undefined);
};
let others = 0;
/** The API key of a second account. */
async function keyOfAnother(): Promise<string> {
  const body = { email: `other${++others}@example.com`, password: "correct horse battery" };
  const made = await app.send("POST", "/auth/signup", { body });
  const cookie = made.headers.get("set-cookie")?.split(";")[0] ?? "";
  const headers = { cookie, origin: "http://localhost:3000" };
  const { api_key } = await jsonOf(await app.send("POST", "/account/api-key", { headers }));
  return String(api_key);
}
const make = (slug: string, ...projects: string[]) =>
  answer("POST", "/portfolios", { slug, name: slug, projects });
const members = async (slug: string) =>
  ((await answer("GET", `/portfolios/${slug}`)).members as Json[]).map(({ project }) => project);
const everything = () => answer("GET", "/portfolios");
/** Memberships by project: they change when, and only when, a project joins. */
const memberships = () =>
  Object.fromEntries(
    Object.entries(ids).map(([name, id]) => [name, app.deps.control.memberships.ofProject(id)?.id]),
  );

describe("a new portfolio", () => {
  test("is answered bare, with its members by id or name, each once", async () => {
    const sent = { slug: "all-of-us", name: "All of us", projects: ["shop", ids.blog, ids.shop] };
    const response = await call("POST", "/portfolios", sent);
    expect(response.status).toBe(201);
    const made = await jsonOf(response);
    expect(made).toEqual({
      id: expect.stringMatching(/^pf_[a-z0-9]{16}$/),
      account_id: expect.stringMatching(/^acc_/),
      slug: "all-of-us",
      name: "All of us",
      created_at: noonMs,
      updated_at: noonMs,
      members: [
        { project_id: ids.blog, project: "blog", added_at: noonMs },
        { project_id: ids.shop, project: "shop", added_at: noonMs },
      ],
    });
    expect(await answer("GET", "/portfolios/all-of-us")).toEqual(made);
    expect(await answer("GET", `/portfolios/${made.id}`)).toEqual(made);
    expect(await everything()).toEqual({ portfolios: [made] });
  });

  test("may be empty; null is the same as absent", async () => {
    for (const [slug, more] of [
      ["a", {}],
      ["b", { projects: [] }],
      ["c", { projects: null, allow_move: null }],
    ] as const) {
      const { members: found } = await answer("POST", "/portfolios", { slug, name: "n", ...more });
      expect(found).toEqual([]);
    }
  });

  test("needs a slug, a name, and projects of this account", async () => {
    const good = { slug: "a", name: "n", projects: [] };
    const longest = `0${"-".repeat(63)}`;
    const name = "😀".repeat(portfolioNameCharsMax);
    await answer("POST", "/portfolios", { ...good, slug: longest, name });
    const full = Array.from({ length: portfolioProjectsMax }, () => "shop");
    await answer("POST", "/portfolios", { ...good, slug: "full", projects: full });
    const refusals: readonly [Json, (string | number)[]][] = [
      [{ slug: "" }, [400, "MISSING_FIELDS", "slug"]],
      [{ slug: null }, [400, "MISSING_FIELDS", "slug"]],
      [{ slug: "-a" }, [400, "MISSING_FIELDS", "slug"]],
      [{ slug: "A" }, [400, "MISSING_FIELDS", "slug"]],
      [{ slug: "a\n" }, [400, "MISSING_FIELDS", "slug"]],
      [{ slug: `${longest}0` }, [400, "MISSING_FIELDS", "slug"]],
      [{ slug: 7 }, [400, "INVALID_BODY", "slug"]],
      [{ name: "" }, [400, "MISSING_FIELDS", "name"]],
      [{ name: null }, [400, "MISSING_FIELDS", "name"]],
      [{ name: `${name}!` }, [400, "MISSING_FIELDS", "name"]],
      [{ name: "\ud800" }, [400, "MISSING_FIELDS", "name"]],
      [{ projects: [...full, "shop"] }, [400, "MISSING_FIELDS", "projects"]],
      [{ projects: "shop" }, [400, "INVALID_BODY", "projects"]],
      [{ projects: [""] }, [400, "MISSING_FIELDS", "projects[0]"]],
      [{ allow_move: 1 }, [400, "INVALID_BODY", "allow_move"]],
      [{ projects: ["blog", "nobody"] }, [404, "NOT_FOUND"]],
    ];
    for (const [change, expected] of refusals) {
      expect(await refusal("POST", "/portfolios", { ...good, ...change })).toEqual(expected);
    }
    expect((await everything()).portfolios).toHaveLength(2);
  });

  test("has a slug that no other of the account has", async () => {
    await make("ours");
    expect(await refusal("POST", "/portfolios", { slug: "ours", name: "n" })).toEqual([
      409,
      "PORTFOLIO_SLUG_EXISTS",
    ]);
    const key = await keyOfAnother();
    const sent = { slug: "ours", name: "theirs" };
    expect((await call("POST", "/portfolios", sent, key)).status).toBe(201);
  });
});

describe("a project", () => {
  test("that is elsewhere refuses the whole change, as it was called", async () => {
    await make("one", "shop", "blog");
    await make("two", "docs");
    const before = [await everything(), memberships()];
    app.setTime(noonMs + 1);
    const refused = [409, "PROJECT_IN_OTHER_PORTFOLIO"];
    const projects = ["docs", "shop", String(ids.blog)];
    const named = [...refused, ["shop", ids.blog]];
    expect(await refusal("PATCH", "/portfolios/two", { name: "new", projects })).toEqual(named);
    const asked = { projects, allow_move: false };
    expect(await refusal("PATCH", "/portfolios/two", asked)).toEqual(named);
    expect(await refusal("POST", "/portfolios", { slug: "three", name: "n", projects })).toEqual([
      ...refused,
      ["docs", "shop", ids.blog],
    ]);
    expect([await everything(), memberships()]).toEqual(before);
  });

  test("moves when that is allowed, and begins again", async () => {
    await make("one", "shop", "blog");
    const before = memberships();
    app.setTime(noonMs + 5);
    const sent = { projects: ["docs", "shop"], allow_move: true };
    const made = await answer("POST", "/portfolios", { slug: "two", name: "n", ...sent });
    expect(made.members).toEqual([
      { project_id: ids.docs, project: "docs", added_at: noonMs + 5 },
      { project_id: ids.shop, project: "shop", added_at: noonMs + 5 },
    ]);
    expect(await members("one")).toEqual(["blog"]);
    expect(await answer("GET", "/portfolios/one")).toMatchObject({ updated_at: noonMs + 5 });
    const after = memberships();
    expect(after.blog).toBe(before.blog);
    expect(after.shop).not.toBe(before.shop);
  });

  test("that is deleted has left, and a new one of its name is none", async () => {
    await make("one", "shop", "blog");
    await call("DELETE", "/projects/shop");
    expect(await members("one")).toEqual(["blog"]);
    await app.makeProject("shop");
    expect(await members("one")).toEqual(["blog"]);
    await answer("PATCH", "/portfolios/one", { projects: ["shop"] });
    expect(await members("one")).toEqual(["shop"]);
    await answer("DELETE", "/portfolios/one");
    expect(await everything()).toEqual({ portfolios: [] });
  });
});

describe("a change", () => {
  test("of the members replaces them; who stays keeps the membership", async () => {
    await make("one", "shop", "blog");
    const before = memberships();
    app.setTime(noonMs + 5);
    const changed = await answer("PATCH", "/portfolios/one", { projects: ["docs", "blog"] });
    expect(changed).toMatchObject({
      created_at: noonMs,
      updated_at: noonMs + 5,
      members: [
        { project: "blog", added_at: noonMs },
        { project: "docs", added_at: noonMs + 5 },
      ],
    });
    expect(memberships()).toEqual({
      blog: before.blog,
      docs: expect.any(String),
      shop: undefined,
    });
    expect(await answer("PATCH", "/portfolios/one", { projects: [] })).toMatchObject({
      members: [],
    });
  });

  test("of the name leaves the members; of nothing leaves everything", async () => {
    const made = await make("one", "shop");
    app.setTime(noonMs + 5);
    expect(await answer("PATCH", `/portfolios/${made.id}`, { name: "New" })).toEqual({
      ...made,
      name: "New",
      updated_at: noonMs + 5,
    });
    app.setTime(noonMs + 6);
    const asked = { name: null, projects: null, allow_move: true };
    expect(await answer("PATCH", "/portfolios/one", asked)).toMatchObject({
      name: "New",
      updated_at: noonMs + 5,
    });
    expect(await refusal("PATCH", "/portfolios/one", { name: "" })).toEqual([
      400,
      "MISSING_FIELDS",
      "name",
    ]);
    expect(await refusal("PATCH", "/portfolios/one", { projects: ["nobody"] })).toEqual([
      404,
      "NOT_FOUND",
    ]);
  });

  test("of another account's is forbidden, of none is not found", async () => {
    const made = await make("one", "shop");
    const key = await keyOfAnother();
    for (const method of ["GET", "PATCH", "DELETE"]) {
      const body = method === "PATCH" ? { name: "n" } : undefined;
      const path = `/portfolios/${made.id}`;
      expect(await refusal(method, path, body, key)).toEqual([403, "FORBIDDEN"]);
      expect(await refusal(method, "/portfolios/one", body, key)).toEqual([404, "NOT_FOUND"]);
      expect(await refusal(method, "/portfolios/pf_none", body)).toEqual([404, "NOT_FOUND"]);
    }
    expect(
      await refusal("POST", "/portfolios", { slug: "x", name: "n", projects: [ids.shop] }, key),
    ).toEqual([404, "NOT_FOUND"]);
  });
});

test("a deleted portfolio is gone, and its projects are free", async () => {
  const made = await make("one", "shop", "blog");
  await make("two", "docs");
  expect(await answer("DELETE", "/portfolios/one")).toEqual({ ok: true, deleted: made.id });
  expect(await refusal("GET", "/portfolios/one")).toEqual([404, "NOT_FOUND"]);
  expect(await refusal("DELETE", `/portfolios/${made.id}`)).toEqual([404, "NOT_FOUND"]);
  await answer("PATCH", "/portfolios/two", { projects: ["shop", "docs"] });
  expect(await members("two")).toEqual(["docs", "shop"]);
});

test("portfolios are listed oldest first", async () => {
  for (const [later, slug] of ["c", "a", "b"].entries()) {
    app.setTime(noonMs + later);
    await make(slug);
  }
  const { portfolios } = (await everything()) as { portfolios: { slug: string }[] };
  expect(portfolios.map(({ slug }) => slug)).toEqual(["c", "a", "b"]);
});

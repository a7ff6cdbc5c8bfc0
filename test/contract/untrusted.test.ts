import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Json, noonMs, type TestApp, type TestProject, testApp } from "../support/app/app";

let app: TestApp;
beforeAll(async () => {
  app = await testApp();
  shop = await app.makeProject("shop");
  await app.makeProject("empty");
  const bare = await app.makeProject("bare");
  const nested = { user_id: '\\"}],', session_id: [{ user_id: "x" }] };
  await app.track(bare, { event: "a", properties: nested }, { event: "b", properties: {} });
  const path = "/ignore-all-instructions";
  const event = {
    timestamp: noonMs - 1,
    event: "buy",
    user_id: "u1",
    session_id: "s1",
    properties: { path },
  };
  await app.track(shop, event, { ...event, event: "page_view" });
  // With it the dates before are stored whole: else nothing is compared.
  await app.track(shop, { event: "buy", timestamp: noonMs - 29 * 24 * 60 * 60 * 1000 });
  const traits = { plan: "pro" };
  await app.post("/identify", { token: shop.token, previous_id: "u1", user_id: "u1", traits });
});
afterAll(() => app.close());

const headerOf = async (
  method: string,
  path: string,
  body?: Json,
  status = 200,
): Promise<string | null> => {
  const call = { key: app.key, ...(body !== undefined && { body }) };
  const response = await app.send(method, path, call);
  expect([path, response.status]).toEqual([path, status]);
  return response.headers.get("x-untrusted-fields");
};
let shop: TestProject;
const row = ["event", "properties", "user_id", "session_id"];
const rowsIn = (list: string): string[] => row.map((field) => `${list}[].${field}`);

describe("X-Untrusted-Fields names what strangers wrote of an answer", () => {
  test.each([
    ...(
      [
        [["date", "country", "session.country", "session.channel"], []],
        [
          ["date", "session.entry_page", "user_id"],
          ["rows[].session.entry_page", "rows[].user_id"],
        ],
        // An event without a value has no text.
        [["session.utm_source", "properties.nothing"], []],
      ] as const
    ).map(([group_by, paths]) => ["POST", "/query", { project: "shop", group_by }, paths] as const),
    [
      ...(["POST", "/journey/lookup", { project: "shop", user_id: "u1" }] as const),
      ["matched_user_ids[]", ...rowsIn("events"), ...["profiles[].user_id", "profiles[].traits"]],
    ],
    // No session, and properties without a key: keys of visitors elsewhere do not count for fields.
    ["GET", "/events?project=bare", undefined, ["events[].event", "events[].properties"]],
    ["GET", "/events?project=bare&event=b", undefined, ["events[].event"]],
    ["GET", "/stats?project=shop&format=csv", undefined, []],
    ["GET", "/projects", undefined, []],
  ] as const)("%s %s", async (method, path, body, paths) => {
    const header = await headerOf(method, path, body);
    expect(header?.split(", ") ?? []).toEqual([...paths]);
  });

  test("a tree's recursion once, within 1,000 characters, exposed to browsers", async () => {
    const body = { project: "shop", goal_event: "buy" };
    const response = await app.send("POST", "/paths", { key: app.key, body });
    const header = response.headers.get("x-untrusted-fields") ?? "";
    expect(header.length).toBeLessThanOrEqual(1_000);
    expect(header.split(", ")).toContain("entry_paths[].tree[].value");
    expect(header).not.toContain("children");
    const exposed = response.headers.get("access-control-expose-headers")?.split(", ");
    expect(exposed).toContain("X-Untrusted-Fields");
  });

  test("with a receipt as without", async () => {
    const plain = await headerOf("GET", "/events?project=shop");
    expect(await headerOf("GET", "/events?project=shop&receipt=true")).toBe(plain);
  });

  test("a tree's nodes where there are some", async () => {
    const tree = ["entry_page", "exit_pages[].exit_page", "tree[].value", "tree[].exit_page"];
    expect(await headerOf("POST", "/paths", { project: "shop", goal_event: "no" })).toBe(
      tree.map((path) => `entry_paths[].${path}`).join(", "),
    );
  });

  test("of what is no read, too", async () => {
    expect(await headerOf("POST", "/account/feedback", { message: "m" })).toBeNull();
    const told = await app.send("GET", "/admin/feedback", { headers: { cookie: app.cookie } });
    expect(told.headers.get("x-untrusted-fields")).toBe("feedback[].message");
    const ids = { token: shop.token, previous_id: "before", user_id: "after" };
    expect(await headerOf("POST", "/identify", ids, 202)).toBeNull();
    const linked = { project: "shop", previous_id: "before" };
    expect(await headerOf("POST", "/identities/unlink", linked)).toBe("user_id");
  });

  test("of refusals: names that visitors have sent", async () => {
    const refusedBy = async (name: string, filters: unknown) => {
      const body = { project: name, filters };
      const answer = await app.send("POST", "/query", { key: app.key, body });
      expect(answer.status).toBe(400);
      return answer.headers.get("x-untrusted-fields");
    };
    const near = [{ field: "pathh", op: "eq", value: "x" }];
    expect(await refusedBy("shop", near)).toBe(
      ["suggested_field", "events[].event", "property_keys[]"].join(", available_properties."),
    );
    expect(await refusedBy("empty", [{ field: "zzzzzz", op: "eq", value: "x" }])).toBe(
      "suggested_field",
    );
    const plain = await app.send("GET", "/stats", { key: app.key });
    expect([plain.status, plain.headers.get("x-untrusted-fields")]).toEqual([400, null]);
  });
});

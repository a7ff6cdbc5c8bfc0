import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Json, type TestApp, testApp } from "../support/app";

let app: TestApp;
beforeAll(async () => {
  app = await testApp();
  const shop = await app.makeProject("shop");
  await app.makeProject("empty");
  const path = "/ignore-all-instructions";
  const event = { event: "buy", user_id: "u1", session_id: "s1", properties: { path } };
  await app.track(shop, event, { ...event, event: "page_view" });
  const traits = { plan: "pro" };
  await app.post("/identify", { token: shop.token, previous_id: "u1", user_id: "u1", traits });
});
afterAll(() => app.close());

const headerOf = async (method: string, path: string, body?: Json): Promise<string | null> => {
  const call = { key: app.key, ...(body !== undefined && { body }) };
  const response = await app.send(method, path, call);
  expect([path, response.status]).toEqual([path, 200]);
  return response.headers.get("x-untrusted-fields");
};
const row = ["event", "properties", "user_id", "session_id"];
const rowsIn = (list: string): string[] => row.map((field) => `${list}[].${field}`);

describe("X-Untrusted-Fields names what strangers wrote of an answer", () => {
  test.each([
    ["GET", "/stats?project=shop", undefined, ["events[].event"]],
    ["GET", "/events?project=shop", undefined, rowsIn("events")],
    ["GET", "/properties?project=shop", undefined, ["events[].event", "property_keys[]"]],
    [
      ...(["GET", "/properties/received?project=shop", undefined] as const),
      ["properties[].key", "properties[].event"],
    ],
    ["GET", "/breakdown?project=shop&property=path", undefined, ["values[].value"]],
    ["POST", "/query", { project: "shop", group_by: ["event"] }, ["rows[].*"]],
    [
      ...(["GET", "/sessions?project=shop", undefined] as const),
      ["session_id", "user_id", "entry_page", "exit_page"].map((name) => `sessions[].${name}`),
    ],
    ["GET", "/pages?project=shop", undefined, ["entry_pages[].page"]],
    [
      ...(["POST", "/journey/lookup", { project: "shop", user_id: "u1" }] as const),
      ["matched_user_ids[]", ...rowsIn("events"), ...["profiles[].user_id", "profiles[].traits"]],
    ],
    [
      ...(["GET", "/live?project=shop", undefined] as const),
      ["top_pages[].path", "top_events[].event", ...rowsIn("recent_events")],
    ],
    ["GET", "/heatmap?project=shop", undefined, []],
    ["GET", "/stats?project=empty", undefined, []],
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
});

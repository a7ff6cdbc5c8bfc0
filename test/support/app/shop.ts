import { noonMs, type TestApp, type TestProject, testApp } from "./app";

export const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

/** A small account on 14 January 2026: what happened in it fits on one screen. */
export interface Shop {
  readonly app: TestApp;
  readonly shop: TestProject;
  readonly blog: TestProject;
  /** What was refused: the code and what came with it. */
  refusal(path: string, body?: unknown): Promise<Record<string, unknown>>;
}

export const invalid = (field: string) => ({ error: "MISSING_FIELDS", field });
/** The refusal of a field with a few values, which the refusal lists. */
export const notAmong = (field: string, allowed: readonly (string | number)[]) => ({
  ...invalid(field),
  allowed: [...allowed],
});

export async function openShop(): Promise<Shop> {
  const app = await testApp();
  const shop = await app.makeProject("shop");
  const blog = await app.makeProject("blog");
  await app.makeProject("quiet");
  const at = (event: string, minutes: number, said: object) => ({
    event,
    timestamp: noonMs - 60 * minuteMs + minutes * minuteMs,
    ...said,
  });
  const ann = { user_id: "ann", session_id: "s1" };
  const bob = { user_id: "bob", session_id: "s2" };
  await app.track(
    shop,
    at("page_view", 0, { ...ann, properties: { path: "/", plan: "pro" } }),
    at("page_view", 1, { ...ann, properties: { path: "/pricing" } }),
    at("buy", 5, { ...ann, properties: { plan: "pro" } }),
    at("page_view", 10, { ...bob, properties: { path: "/" } }),
    { event: "page_view", user_id: "ann", session_id: "s0", timestamp: noonMs - 7 * dayMs },
  );
  await app.track(blog, at("page_view", 0, { user_id: "cy", session_id: "b1" }));
  return { app, shop, blog, refusal: refuser(app) };
}

const refuser =
  (app: TestApp): Shop["refusal"] =>
  async (path, body) => {
    const call = { key: app.key, ...(body === undefined ? {} : { body }) };
    const answer = await app.send(body === undefined ? "GET" : "POST", path, call);
    if (answer.ok) throw new Error(`${path} was not refused.`);
    const { message: _, ...rest } = (await answer.json()) as Record<string, unknown>;
    return rest;
  };

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Json, type TestApp, testApp } from "../../../test/support/app/app";

let app: TestApp;
beforeAll(async () => {
  app = await testApp({ REGISTRATION: "open" });
});
afterAll(() => app.close());

const put = (sent: unknown) => app.send("PUT", "/portfolio-context", { key: app.key, body: sent });
const refusal = async (sent: Json) => {
  const answer = await put(sent);
  const { error, field } = (await answer.json()) as Json;
  return [answer.status, error, field];
};
const missing = (field: string) => [400, "MISSING_FIELDS", field];
const x = (count: number) => "x".repeat(count);

const empty = { goals: [], surface_roles: [], shared_milestones: [], glossary: [] };
const role = { project: "shop", role: "Where people buy" };
const entry = { term: "Customer", definition: "Somebody who paid once." };
const full = {
  goals: ["Sell more"],
  surface_roles: [role, { project: "the app, not measured", role: "Where people come back" }],
  shared_milestones: ["First purchase"],
  glossary: [entry],
};

describe("the context of an account", () => {
  test("is empty, then as it was put, then replaced as a whole", async () => {
    const { id } = await app.get("/account");
    expect(await app.get("/portfolio-context")).toEqual({
      account_id: id,
      portfolio_context: empty,
    });
    const answer = await put(full);
    expect([answer.status, await answer.json()]).toEqual([
      200,
      { ok: true, account_id: id, portfolio_context: full },
    ]);
    expect(await app.get("/portfolio-context")).toMatchObject({ portfolio_context: full });
    const replaced = { ...empty, goals: ["Trimmed"] };
    await put({ goals: [" Trimmed "], glossary: null });
    expect(await app.get("/portfolio-context")).toMatchObject({ portfolio_context: replaced });
  });

  test("is that account's alone", async () => {
    await put(full);
    const login = { email: "b@example.com", password: "correct horse battery" };
    const other = await app.send("POST", "/auth/signup", { body: login });
    const cookie = other.headers.get("set-cookie")?.split(";")[0] ?? "";
    const read = await app.send("GET", "/portfolio-context", { headers: { cookie } });
    expect(await read.json()).toMatchObject({ portfolio_context: empty });
  });

  const list = (count: number, item: unknown) => Array.from({ length: count }, () => item);
  test.each([
    ["goals", 5, "g"],
    ["surface_roles", 20, role],
    ["shared_milestones", 12, "m"],
    ["glossary", 12, entry],
  ] as const)("%s has at most %d items", async (field, most, item) => {
    expect((await put({ [field]: list(most, item) })).status).toBe(200);
    expect(await refusal({ [field]: list(most + 1, item) })).toEqual(missing(field));
  });

  const texts: readonly [path: string, most: number, sent: (text: string) => Json][] = [
    ["goals[0]", 160, (text) => ({ goals: [text] })],
    ["surface_roles[1].project", 96, (t) => ({ surface_roles: [role, { ...role, project: t }] })],
    ["surface_roles[0].role", 120, (t) => ({ surface_roles: [{ ...role, role: t }] })],
    ["shared_milestones[0]", 96, (t) => ({ shared_milestones: [t] })],
    ["glossary[0].term", 80, (t) => ({ glossary: [{ ...entry, term: t }] })],
    ["glossary[0].definition", 240, (t) => ({ glossary: [{ ...entry, definition: t }] })],
  ];
  test.each(texts)("%s has at most %d code points", async (path, most, sent) => {
    expect((await put(sent("😀".repeat(most)))).status).toBe(200);
    expect(await refusal(sent(x(most + 1)))).toEqual(missing(path));
    expect(await refusal(sent(" "))).toEqual(missing(path));
  });

  test("is closed, and so are its entries", async () => {
    const invalid = (field: string) => [400, "INVALID_BODY", field];
    expect(await refusal({ activation_events: [] })).toEqual(invalid("activation_events"));
    expect(await refusal({ glossary: [{ ...entry, event_name: "e" }] })).toEqual(
      invalid("glossary[0].event_name"),
    );
    expect(await refusal({ surface_roles: [{ ...role, note: "n" }] })).toEqual(
      invalid("surface_roles[0].note"),
    );
    expect(await refusal({ surface_roles: [{ project: "shop" }] })).toEqual(
      missing("surface_roles[0].role"),
    );
  });
});

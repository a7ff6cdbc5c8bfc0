import { afterAll, beforeAll, expect, test } from "bun:test";
import { type TestApp, testApp } from "../support/app/app";
import { addMember } from "../support/app/members";

let app: TestApp;
beforeAll(async () => {
  app = await testApp();
});
afterAll(() => app.close());

test("a member who may not see single visitors sees no object whose filters identify a visitor", async () => {
  const { id: project } = await app.makeProject("shop");
  const filters = [{ field: "user_id", op: "eq", value: "ann-secret" }];
  const made = async (path: string, body: object): Promise<string> => {
    const { id } = await app.post(path, { project, ...body });
    expect([path, typeof id]).toEqual([path, "string"]);
    return String(id);
  };
  const nested = [{ did: "pay", filters }];
  const { personId } = await addMember(app, { role: "admin", people: true, projects: null });
  await made("/shares", { name: "ann-share", filters });
  await made("/shares", { name: "ann-share-2", filters: nested });
  const alert = await made("/alerts", {
    ...{ name: "ann-alert", kind: "goal", event: "pay", count: 1 },
    ...{ filters: nested, to: [personId] },
  });
  await made("/reports", { every: "week", filters: nested, to: [personId] });
  const address = "/app/p/shop/overview?filter=user_id~eq~ann-secret";
  const view = await made("/views", { name: "ann-view", address });
  await made("/views", { name: "ann-visits", address: "/app/p/shop/people?user=ann-secret" });
  const addresses = [
    "people/ann-secret",
    "funnels?step=buy|user_id~eq~ann-secret",
    "people?page=people&id=ann-secret",
  ];
  for (const one of addresses)
    await made("/views", { name: `ann ${one}`, address: `/app/p/shop/${one}` });
  await made("/views", {
    name: "plain",
    address: "/app/p/shop/sessions?filter=session.source~eq~x",
  });
  const { key } = await addMember(app, { role: "editor", people: false, projects: null });
  const list = async (path: string, call: object) =>
    JSON.stringify(await (await app.send("GET", `${path}?project=${project}`, call)).json());
  for (const path of ["/shares", "/alerts", "/reports", "/views"]) {
    expect([path, await list(path, { key: app.key })]).toEqual([
      path,
      expect.stringMatching("ann"),
    ]);
    expect([path, await list(path, key)]).toEqual([path, expect.not.stringMatching("ann")]);
  }
  expect(await list("/views", key)).toContain("plain");
  const ask = async (method: string, path: string, body: object) => {
    const answer = await app.send(method, path, { ...key, body });
    return [answer.status, (await answer.json()) as object];
  };
  const refused = [403, expect.objectContaining({ required: "people" })];
  expect(await ask("POST", `/alerts/${alert}/evaluate`, {})).toEqual(refused);
  expect(await ask("PATCH", `/views/${view}`, { name: "x" })).toEqual(refused);
});

import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Json } from "../../../test/support/app/app";
import { addMember } from "../../../test/support/app/members";
import { app, closeWebhooks, make, openWebhooks } from "../../../test/support/app/webhooks";

beforeAll(openWebhooks);
afterAll(closeWebhooks);

test("an administrator who sees some projects has the webhooks of these, and no others", async () => {
  const { id: project } = await app.makeProject("shop");
  await app.makeProject("blog");
  const [all, ofShop, ofBlog] = [
    ...[await make(), await make({ project: "shop" }), await make({ project: "blog" })],
  ];
  const { key } = await addMember(app, { role: "admin", people: true, projects: [project] });
  const ask = async (method: string, path: string, body?: Json) => {
    const answer = await app.send(method, path, { ...key, ...(body !== undefined && { body }) });
    return [answer.status, (await answer.json()) as Json] as const;
  };
  const [, { webhooks }] = await ask("GET", "/webhooks");
  expect((webhooks as readonly Json[]).map(({ id }) => id)).toEqual([ofShop?.id]);
  for (const one of [all, ofBlog]) {
    expect((await ask("PATCH", `/webhooks/${one?.id}`, { name: "mine" }))[0]).toBe(404);
    expect((await ask("GET", `/webhooks/${one?.id}/deliveries`))[0]).toBe(404);
    expect((await ask("DELETE", `/webhooks/${one?.id}`))[0]).toBe(404);
  }
  const made = { name: "own", kind: "signed", url: "https://hooks.example.com/in" };
  expect((await ask("POST", "/webhooks", made))[0]).toBe(400);
  expect((await ask("POST", "/webhooks", { ...made, project: "blog" }))[0]).toBe(404);
  expect((await ask("POST", "/webhooks", { ...made, project: "shop" }))[0]).toBe(201);
});

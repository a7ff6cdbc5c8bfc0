import { afterAll, beforeAll, expect, test } from "bun:test";
import { type TestApp, type TestProject, testApp } from "../support/app/app";

let app: TestApp;
let shop: TestProject;
beforeAll(async () => {
  app = await testApp();
  shop = await app.makeProject("shop");
  const visit = { session_id: "s1", user_id: "ann" };
  await app.track(shop, { event: "page_view", ...visit, properties: { path: "/" } });
  await app.track(shop, { event: "buy", ...visit });
});
afterAll(() => app.close());

/** The answer to a question about an event that somebody sent, and to one about an event that nobody did. */
const questions: Readonly<Record<string, (event: string) => Promise<object>>> = {
  "the event of /retention": (event) => app.get(`/retention?project=shop&event=${event}`),
  "the returning_event of /retention": (event) =>
    app.get(`/retention?project=shop&returning_event=${event}`),
  "the goal_event of /paths": (event) => app.post("/paths", { project: "shop", goal_event: event }),
  "the event of /events/lookup": (event) =>
    app.post("/events/lookup", { project: "shop", user_id: "ann", event }),
};

for (const [what, ask] of Object.entries(questions)) {
  test(`${what} is warned of when nobody sent it`, async () => {
    expect(await ask("buy")).not.toHaveProperty("warnings");
    expect(await ask("bye")).toMatchObject({
      warnings: [
        {
          ...{ code: "unknown_event", event: "bye" },
          message:
            'No event is named "bye" in this period. GET /properties lists the names that exist.',
        },
      ],
    });
  });
}

test("one of several events of an alternative in /query is warned of when nobody sent it", async () => {
  const ask = (event: string) => {
    const events = { field: "event", op: "in", value: ["buy", event] };
    const filters = [{ any: [{ field: "country", op: "eq", value: "DE" }, events] }];
    return app.post("/query", { project: "shop", filters });
  };
  expect(await ask("page_view")).not.toHaveProperty("warnings");
  expect(await ask("bye")).toMatchObject({ warnings: [{ event: "bye" }] });
});

test("an event that a person did not send, but others did, is not warned of", async () => {
  const asked = { project: "shop", user_id: "nobody", event: "buy" };
  expect(await app.post("/events/lookup", asked)).not.toHaveProperty("warnings");
});

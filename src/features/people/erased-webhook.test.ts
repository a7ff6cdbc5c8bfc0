import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { erasedPerson } from "../../../test/support/app/people";
import {
  app,
  closeWebhooks,
  deliveries,
  later,
  make,
  openWebhooks,
  receiver,
  startAfresh,
  taken,
} from "../../../test/support/app/webhooks";
import { hourMs, secondMs } from "../../lib/clock";

beforeAll(openWebhooks);
beforeEach(startAfresh);
afterAll(closeWebhooks);

const gone = "Zz9-gone";
async function untilDone(): Promise<void> {
  await later(hourMs);
  for (let tries = 0; tries < 50 && !(await app.deps.erasures.goOn()); tries++) await Bun.sleep(20);
  await app.deps.webhooks.sendDue();
}

test("a webhook hears once that a person was erased, and not whom", async () => {
  const shop = await app.makeProject("shop");
  const other = await app.makeProject("other");
  const [all, ofOther, ofProjects] = [
    await make({ events: ["person.erased"] }),
    await make({ events: ["person.erased"], project: other.id }),
    await make({ events: ["project.created"] }),
  ];
  await app.track(shop, { event: "visit", user_id: gone });
  receiver.answer = () => new Response(null, { status: 503 });
  const { id } = await erasedPerson(app, { project: "shop", user_id: gone });
  expect(taken).toHaveLength(0);
  await untilDone();
  expect(taken).toHaveLength(1);
  receiver.answer = () => new Response(null);
  await later(5 * secondMs);
  // A later look at the erasure sends no second message.
  await untilDone();
  const [first, second, ...others] = taken;
  expect(others).toEqual([]);
  expect(second?.headers.get("webhook-id")).toBe(String(first?.headers.get("webhook-id")));
  expect(JSON.parse(first?.body ?? "")).toMatchObject({
    type: "person.erased",
    data: { erasure: { id, state: "done" }, project: { id: shop.id, name: "shop" } },
  });
  expect(taken.map(({ body }) => body).join("")).not.toContain(gone);
  expect((await deliveries(all.id)).map(({ state }) => state)).toEqual(["delivered"]);
  expect([await deliveries(ofOther.id), await deliveries(ofProjects.id)]).toEqual([[], []]);
});

test("the message and the note of it are one commit", async () => {
  const site = await app.makeProject("site");
  await make({ events: ["person.erased"] });
  await app.track(site, { event: "visit", user_id: gone });
  const { id } = await erasedPerson(app, { project: "site", user_id: gone });
  const { erasures } = app.deps.control;
  const fail = () => {
    throw new Error("the queue is broken");
  };
  expect(() => erasures.done(String(id), fail)).toThrow("broken");
  expect(await app.get(`/people/erasures/${id}`)).toMatchObject({ state: "running" });
  await untilDone();
  await untilDone();
  expect(await app.get(`/people/erasures/${id}`)).toMatchObject({ state: "done" });
  expect(taken).toHaveLength(1);
});

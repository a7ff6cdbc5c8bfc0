import { afterAll, beforeAll, expect, test } from "bun:test";
import { Analytics } from "@segment/analytics-node";
import { Umami } from "@umami/node";
import MatomoTracker from "matomo-tracker";
import Mixpanel from "mixpanel";
import { PostHog } from "posthog-node";
import type { TestApp } from "../support/app/app";
import { openApp, type SourceWorld, sourceOf } from "./world";

/** The released clients of servers, which send to a source as they would to their own product. */

let app: TestApp;
let origin: string;
beforeAll(async () => {
  app = await openApp();
  origin = app.listen();
});
afterAll(() => app.close());

const addressOf = ({ source }: SourceWorld): string => `${origin}/in/${source.id}`;

async function stored(world: SourceWorld) {
  const events = await world.events();
  return events.map(({ event, user_id, properties }) => ({ event, user_id, ...properties }));
}
const refusedBy = async (world: SourceWorld) => (await world.counts()).last24h.refused;

test("@umami/node", async () => {
  const world = await sourceOf(app, "umami");
  const websiteId = "94db1cb1-74f4-4a40-ad6c-962362670409";
  const umami = new Umami({ hostUrl: addressOf(world), websiteId });
  await umami.track({ url: "/home", title: "Home", hostname: "shop.example" });
  await umami.track("signup", { plan: "pro" });
  await umami.identify({ plan: "pro" });
  expect(await stored(world)).toMatchObject([
    { event: "page_view", path: "/home", title: "Home" },
    { event: "signup", plan: "pro" },
  ]);
  expect([await refusedBy(world), (await world.counts()).last24h.accepted]).toEqual([{}, 3]);
});

test("matomo-tracker", async () => {
  const world = await sourceOf(app, "matomo");
  const matomo = new MatomoTracker(7, `${addressOf(world)}/matomo.php`);
  const ua = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
  const errors: unknown[] = [];
  matomo.on("error", (error: unknown) => errors.push(error));
  const answered = Promise.withResolvers<unknown>();
  matomo.track({ url: "https://shop.example/cart", action_name: "Cart", uid: "u1", ua });
  const page = { url: "https://shop.example/b", uid: "u1", ua };
  matomo.trackBulk([{ ...page }, { ...page, e_c: "cart", e_a: "add" }], answered.resolve);
  expect(JSON.parse(String(await answered.promise))).toMatchObject({
    status: "success",
    tracked: 2,
  });
  await untilStored(world, 3);
  expect((await stored(world)).map(({ event }) => event).sort()).toEqual([
    "add",
    "page_view",
    "page_view",
  ]);
  expect([errors, await refusedBy(world)]).toEqual([[], {}]);
});

test("@segment/analytics-node", async () => {
  const world = await sourceOf(app, "segment");
  const path = `/in/${world.source.id}/v1/batch`;
  const analytics = new Analytics({ writeKey: "WriteKey0123", host: origin, path });
  analytics.track({ userId: "u1", event: "Order Completed", properties: { total: 9.5 } });
  analytics.page({ anonymousId: "a1", name: "Home", properties: { url: "https://shop.example/" } });
  analytics.identify({ userId: "u1", anonymousId: "a1", traits: { plan: "pro" } });
  analytics.group({ userId: "u1", groupId: "g1" });
  await analytics.closeAndFlush();
  expect(await stored(world)).toMatchObject([
    { event: "Order Completed", user_id: "u1", total: 9.5 },
    { event: "page_view", user_id: "u1", path: "/", name: "Home" },
  ]);
  expect((await world.counts()).last24h).toMatchObject({
    accepted: 3,
    unsupported: 1,
    refused: {},
  });
});

test("posthog-node", async () => {
  const world = await sourceOf(app, "posthog");
  const posthog = new PostHog("phc_0123456789", { host: addressOf(world) });
  posthog.capture({
    distinctId: "u1",
    event: "order placed",
    properties: { total: 12.5, $current_url: "https://shop.example/cart?utm_source=n" },
  });
  posthog.identify({ distinctId: "u1", properties: { plan: "pro" } });
  posthog.alias({ distinctId: "u1", alias: "anon1" });
  expect(await posthog.getAllFlags("u1")).toEqual({});
  await posthog.shutdown();
  expect(await stored(world)).toMatchObject([
    { event: "order placed", user_id: "u1", total: 12.5, path: "/cart", utm_source: "n" },
  ]);
  expect(await refusedBy(world)).toEqual({});
});

test("mixpanel", async () => {
  const world = await sourceOf(app, "mixpanel");
  const host = origin.replace("http://", "");
  const path = `/in/${world.source.id}`;
  const mixpanel = Mixpanel.init("token0123456789", { host, path, protocol: "http" });
  const sent = (send: (done: (error?: Error | undefined) => void) => void) =>
    new Promise<void>((resolve, reject) => {
      send((error) => (error ? reject(error) : resolve()));
    });
  await sent((done) => mixpanel.track("Signed Up", { distinct_id: "u1", plan: "pro" }, done));
  await sent((done) => mixpanel.people.set("u1", { plan: "pro" }, {}, done));
  await sent((done) => mixpanel.alias("u1", "anon1", done));
  expect(await stored(world)).toMatchObject([{ event: "Signed Up", user_id: "u1", plan: "pro" }]);
  expect((await world.counts()).last24h).toMatchObject({ accepted: 3, refused: {} });
});

/** Waits for what a client sends without telling when it was answered. */
async function untilStored(world: SourceWorld, count: number): Promise<void> {
  for (let tries = 0; tries < 200 && (await world.events()).length < count; tries++)
    await Bun.sleep(10);
}

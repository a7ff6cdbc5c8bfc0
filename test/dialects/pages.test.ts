import { afterAll, beforeAll, expect, test } from "bun:test";
import type { TestApp } from "../support/app/app";
import { openApp, sourceOf } from "./world";

/* The page of an item, where its address is more, or less, than that of a page. */

let app: TestApp;
beforeAll(async () => {
  app = await openApp();
});
afterAll(() => app.close());

const browser = {
  "user-agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
  origin: "https://garten.example",
};
const sent = (body: unknown) => ({ body, headers: browser });
const secret = "email=ann@example.com";

test("the query of a fragment is no part of the path, by hash mode and in routes of single pages", async () => {
  const plausible = await sourceOf(app, "plausible");
  const umami = await sourceOf(app, "umami");
  for (const [u, h] of [
    [`https://garten.example/a?x=1#/cart?${secret}`, 1],
    [`https://garten.example/a#part?${secret}`, 1],
    [`https://garten.example/a#/cart?${secret}`, undefined],
    [`https://garten.example/a#part?${secret}`, undefined],
  ] as const)
    await plausible.send("POST", "/api/event", sent({ n: "pageview", u, h }));
  const payload = { website: crypto.randomUUID(), hostname: "garten.example" };
  const url = `/a#!/b?${secret}`;
  await umami.send("POST", "/api/send", sent({ type: "event", payload: { ...payload, url } }));
  const pagesOf = async ({ events }: typeof umami) =>
    (await events()).map(({ properties }) => [properties?.path, properties?.url]);
  expect(await pagesOf(plausible)).toEqual([
    ["/a#/cart", "https://garten.example/a#/cart"],
    ["/a#part", "https://garten.example/a#part"],
    ["/a#/cart", "https://garten.example/a#/cart"],
    ["/a", "https://garten.example/a"],
  ]);
  expect(await pagesOf(umami)).toEqual([["/a#!/b", "https://garten.example/a#!/b"]]);
});

const noPages = ["javascript:alert(1)", "data:text/html,x", "about:blank", "mailto:a@b.example"];

test("an address of no page is refused where a page is required, each item by itself", async () => {
  const plausible = await sourceOf(app, "plausible");
  for (const u of noPages) {
    const answer = await plausible.send("POST", "/api/event", sent({ n: "pageview", u }));
    expect([u, answer.status]).toEqual([u, 400]);
    expect(await answer.json()).toHaveProperty("errors.url");
  }
  const goatcounter = await sourceOf(app, "goatcounter");
  for (const p of noPages) {
    const query = new URLSearchParams({ p });
    const answer = await goatcounter.send("GET", `/count?${query}`, { headers: browser });
    expect([p, answer.status]).toEqual([p, 400]);
  }
  // The name of an event is none of a page, and applications have addresses of their own.
  await goatcounter.send("GET", "/count?e=true&p=data:x", { headers: browser });
  await plausible.send("POST", "/api/event", sent({ n: "pageview", u: "app://localhost/home" }));
  expect((await goatcounter.events()).map(({ event }) => event)).toEqual(["data:x"]);
  expect((await plausible.events()).map(({ properties }) => properties?.path)).toEqual(["/home"]);
  expect((await plausible.counts()).last24h.refused).toEqual({ MISSING_FIELDS: noPages.length });
});

test("elsewhere it gives the item no page", async () => {
  const posthog = await sourceOf(app, "posthog");
  const item = (url: string) => ({
    ...{ event: "$pageview", distinct_id: "ann" },
    properties: { $current_url: url },
  });
  await posthog.send("POST", "/batch", sent({ batch: noPages.map(item) }));
  const events = await posthog.events();
  expect(events).toHaveLength(noPages.length);
  for (const { properties } of events) expect(properties?.path).toBeUndefined();
});

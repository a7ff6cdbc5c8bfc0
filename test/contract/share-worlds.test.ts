import { afterAll, describe, expect, test } from "bun:test";
import { type Json, noonMs, type TestApp, type TestProject, testApp } from "../support/app/app";
import { sharedOperations } from "../support/app/operations";
import { engineMsMax, onEach } from "../support/engine/opened-engine";
import { cases } from "../support/random/cases";
import { type Random, randomFrom } from "../support/random/random";
import { type Asked, askedOfShares } from "../support/world/share-questions";
import {
  type AskShare,
  answersOf,
  eventsOfTenant,
  type Ids,
  pagesOfShares,
  sharesOfTenant,
} from "../support/world/share-worlds";

/** What the other tenant of a project does changes no byte and no header of what a share of the one is answered. */
const opened: TestApp[] = [];
afterAll(async () => {
  for (const app of opened) await app.close();
});

/** A share may ask 600 times a minute, and it is always the same one here. */
const rounds = cases(1, 2);
const namesOfShares = onEach(cases(["property", "session"], Object.keys(sharesOfTenant)), [
  "property",
]);
const seeds = cases([1], [1, 2, 3, 4]);
/** They have no numbers, or are refused: whose events there are makes no difference to anybody. */
const withoutNumbers = ["GET /project-context", "GET /experiments", "GET /goals"];

test("everything that a share may ask is asked, with each of its fields", async () => {
  const app = await testApp();
  opened.push(app);
  const fields = new Map<string, Set<string>>();
  for (const { name, fields: sent } of askedOfShares) {
    const known = fields.get(name) ?? new Set();
    const ofQueries = Array.isArray(sent.queries) ? sent.queries.flatMap(Object.keys) : [];
    fields.set(name, known.union(new Set([...Object.keys(sent), ...ofQueries])));
  }
  expect([...fields.keys()].sort()).toEqual([...sharedOperations].sort());
  for (const operation of app.operations) {
    const asked = fields.get(String(operation.name));
    if (asked === undefined) continue;
    const takes = Object.keys(operation.takes.properties ?? {}).filter((key) => key !== "project");
    expect([operation.name, takes.filter((key) => !asked.has(key))]).toEqual([operation.name, []]);
    const isCsv = askedOfShares.some(({ name, accept }) => name === operation.name && accept);
    if (operation.csv !== undefined)
      expect([operation.name, isCsv]).toEqual([operation.name, true]);
  }
});

describe.each([...seeds])("of seed %d", (seed) => {
  test(
    "no answer to a share depends on the events of the other tenant",
    async () => {
      const random = randomFrom(seed);
      const world = await openWorld(random);
      const { app, shares } = world;
      const before = await answersOfAll(world);
      expectStatuses(before);
      let now = before;
      let compared = 0;
      for (let round = 0; round < rounds; round++) {
        await otherTenantGoesOn(random, world, round);
        now = await answersOfAll(world);
        for (const [name, answers] of now) {
          if (name === "all") continue;
          for (const [asked, answer] of answers) {
            expectSame([name, asked], answer, before.get(name)?.get(asked) ?? "");
            compared++;
          }
        }
      }
      expect(compared).toBe(rounds * (Object.keys(shares).length - 1) * askedOfShares.length);
      // The same questions without filters tell of it.
      const [whole, other] = [before.get("all"), now.get("all")];
      for (const { name } of askedOfShares) {
        const isSame = [...(other ?? [])].every(
          ([asked, answer]) => JSON.parse(asked).name !== name || answer === whole?.get(asked),
        );
        if (!withoutNumbers.includes(name) && !name.includes("replays"))
          expect([name, isSame]).toEqual([name, false]);
      }
      await app.close();
      opened.splice(opened.indexOf(app), 1);
    },
    engineMsMax,
  );
});

/** Shows where two answers differ: to compare such long texts as a whole takes minutes where they do. */
function expectSame(asked: readonly string[], answer: string, before: string): void {
  if (answer === before) return;
  const at = Array.from(answer).findIndex((letter, place) => letter !== before[place]);
  const around = (text: string): string => text.slice(Math.max(0, at - 200), at + 200);
  expect([...asked, around(answer)]).toEqual([...asked, around(before)]);
}

/** A share with filters is refused what is made of more than events; else it is answered like any other. */
function expectStatuses(answers: ReadonlyMap<string, ReadonlyMap<string, string>>): void {
  for (const [name, asked] of answers) {
    for (const [text, answer] of asked) {
      const question: Asked = JSON.parse(text);
      const isRefused = name !== "all" && ofMoreThanEvents.includes(question.name);
      const wanted = isRefused ? 403 : (question.status ?? 200);
      expect([name, text, JSON.parse(answer)[0]]).toEqual([name, text, wanted]);
    }
  }
}
const ofMoreThanEvents = [
  ...[
    "GET /bot-traffic",
    "GET /history",
    "GET /journey",
    "GET /live",
    "GET /trust",
    "GET /replays",
  ],
  ...["GET /replays/{id}", "GET /replays/{id}/timeline", "POST /replays/{id}/open"],
  ...["GET /projects/{id}", "GET /projects/{id}/usage"],
];

interface World {
  readonly app: TestApp;
  readonly shop: TestProject;
  readonly ids: Ids;
  /** Tokens by the name of their filters; `all` has none. */
  readonly shares: Readonly<Record<string, string>>;
}

async function openWorld(random: Random): Promise<World> {
  const app = await testApp();
  opened.push(app);
  const shop = await app.makeProject("shop");
  const hero = { name: "hero", variants: ["control", "b"], goal_event: "buy" };
  const experiment = String((await app.post("/experiments", { project: "shop", ...hero })).id);
  const context = { project: "shop", activation_events: ["buy", "pay"] };
  await app.send("PUT", "/project-context", { key: app.key, body: context });
  const secret = { name: "Secret", event: "secret", once_per: "amount" };
  await app.post("/goals", { project: "shop", ...secret });
  await app.post("/replays/enable", { project: "shop" });
  const recorded = { token: shop.token, session_id: "s1" };
  const answer = await app.send("POST", "/replays/ingest/start", { body: recorded });
  const started = (await answer.json()) as Json;
  const of = (tenant: "a" | "b", count: number) => eventsOfTenant(random, tenant, noonMs, count);
  for (let batch = 0; batch < 5; batch++) await app.track(shop, ...of("a", 60), ...of("b", 9));
  const shares: Record<string, string> = {};
  for (const name of [...namesOfShares, "all"]) {
    const filters = sharesOfTenant[name] ?? [];
    const body = { project: "shop", name, pages: pagesOfShares, filters };
    shares[name] =
      String((await app.post("/shares", body)).url)
        .split("/")
        .at(-1) ?? "";
  }
  const ids = { project: shop.id, experiment, replay: String(started.replay_id) };
  return { app, shop, ids, shares };
}

async function answersOfAll({ app, ids, shares }: World) {
  const answers = new Map<string, ReadonlyMap<string, string>>();
  for (const [name, token] of Object.entries(shares)) {
    const ask: AskShare = async (method, path, { body, accept }) => {
      const headers = { authorization: `Bearer ${token}`, ...(accept !== undefined && { accept }) };
      const answer = await app.send(method, path, { headers, ...(body && { body }) });
      return { status: answer.status, headers: answer.headers, text: await answer.text() };
    };
    answers.set(name, await answersOf(ask, ids));
  }
  return answers;
}

/** Events before, within and after those of the share's tenant, links of its own people, recordings and bots. */
async function otherTenantGoesOn(random: Random, { app, shop }: World, round: number) {
  for (const count of [1, 7, 90]) {
    await app.track(shop, ...eventsOfTenant(random, "b", noonMs, count));
  }
  const link = { token: shop.token, previous_id: `u1${round}`, user_id: `b${round}` };
  const headers = { "user-agent": "Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0" };
  await app.send("POST", "/identify", { headers, body: { ...link, traits: { of: "b" } } });
  const recorded = { token: shop.token, session_id: `s${round}` };
  await app.send("POST", "/replays/ingest/start", { body: recorded });
  await app.send("POST", "/track", {
    headers: { "user-agent": "Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)" },
    body: { token: shop.token, event: "page_view", properties: { tenant: "b" } },
  });
}

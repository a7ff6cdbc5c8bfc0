import { afterAll, beforeAll, expect, test } from "bun:test";
import { randomFrom } from "../support/random/random";
import { createProject, setUpAccount, userAgent } from "../support/server/account";
import {
  ask,
  atNoon,
  removeFolder,
  type Server,
  startServer,
  temporaryFolder,
} from "../support/server/server";
import { askedOfShares } from "../support/world/share-questions";
import {
  type AskShare,
  answersOf,
  eventsOfTenant,
  pagesOfShares,
  sharesOfTenant,
} from "../support/world/share-worlds";

/** The executable with its threads: a share of one tenant never sees what the other tenant of the project does. */
const dataDir = temporaryFolder();
/** Answers before and after midnight are about other dates. */
const env = atNoon();
let server: Server;
beforeAll(async () => {
  server = await startServer({ dataDir, env });
});
afterAll(async () => {
  await server.stop();
  removeFolder(dataDir);
});

const rounds = 2;
/** Batches of 100 events of the other tenant in each round. */
const batches = 60;

test("no byte of any answer to a share depends on the events of the other tenant", async () => {
  const random = randomFrom(37);
  const key = await setUpAccount(server.url);
  const shop = await createProject(server.url, key, "shop");
  const call = async (method: string, path: string, body: unknown) => {
    const headers = { "X-API-Key": key, "User-Agent": userAgent };
    const reply = await ask(server.url, method, path, headers, body);
    expect([path, reply.status < 300]).toEqual([path, true]);
    return JSON.parse(reply.body);
  };
  const nowMs = Date.now() + Number(env.CLOCK_OFFSET_MS);
  const track = (tenant: "a" | "b", count: number) =>
    call("POST", "/track/batch", {
      token: shop.token,
      events: eventsOfTenant(random, tenant, nowMs, count),
    });
  for (let batch = 0; batch < 10; batch++) {
    await track("a", 100);
    await track("b", 20);
  }
  const hero = { name: "hero", variants: ["control", "b"], goal_event: "buy" };
  const { id: experiment } = await call("POST", "/experiments", { project: "shop", ...hero });
  const ids = { project: shop.id, experiment, replay: "rpl_nothing" };
  const shares = new Map<string, AskShare>();
  for (const [name, filters] of Object.entries(sharesOfTenant)) {
    const body = { project: "shop", name, pages: pagesOfShares, filters };
    const { url } = await call("POST", "/shares", body);
    shares.set(name, asShare(String(url).split("/").at(-1) ?? ""));
  }
  const answers = async () => {
    const found = new Map<string, string>();
    for (const [name, askShare] of shares) {
      for (const [asked, answer] of await answersOf(askShare, ids, atOneMoment)) {
        found.set(`${name} ${asked}`, answer);
      }
    }
    return found;
  };
  const before = await answers();
  let compared = 0;
  for (let round = 0; round < rounds; round++) {
    for (let batch = 0; batch < batches; batch++) await track("b", 100);
    for (const [asked, answer] of await answers()) {
      expect([asked, answer]).toEqual([asked, before.get(asked) ?? ""]);
      compared++;
    }
  }
  expect(compared).toBe(rounds * shares.size * askedOfShares.length);
  const wereAnswered = [...before.values()].filter((answer) => answer.startsWith("[200"));
  expect(wereAnswered.length).toBeGreaterThan(before.size / 2);
  process.stdout.write(
    `${compared} answers to ${shares.size} shares are equal, ${rounds * wereAnswered.length} of them with numbers\n`,
  );
});

const asShare =
  (token: string): AskShare =>
  async (method, path, { body, accept }) => {
    const headers = { Authorization: `Bearer ${token}`, ...(accept && { Accept: accept }) };
    const {
      status,
      headers: told,
      body: text,
    } = await ask(server.url, method, path, headers, body);
    return { status, headers: told, text };
  };

/** The time of the request is in the answer. */
const atOneMoment = (text: string): string =>
  text
    .replace(/"x-data-through","\d+"/, "")
    .replace(/\\"through\\":\d+/, "")
    .replace(/\\"compared_until\\":\\"[^"]*"/, "")
    .replace(/\\"body_sha256\\":\\"[0-9a-f]{64}\\"/, "");

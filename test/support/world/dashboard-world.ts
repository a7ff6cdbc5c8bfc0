import { hostileText, PersonPages } from "../browser/person-pages";
import { type Random, randomFrom } from "../random/random";
import { login, userAgent } from "../server/account";
import { ask } from "../server/server";

/** An account with a shop of 58 days up to yesterday, 15:00 UTC, where the clocks of server and browser stand. */
export interface DashboardWorld {
  readonly pages: PersonPages;
  readonly key: string;
  readonly nowMs: number;
  readonly shop: string;
  /** A project without events. */
  readonly quiet: string;
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const batchEvents = 100;

interface Sent {
  readonly country: string;
  readonly event: object;
}

export async function openDashboardWorld({ hasHostileEvent = true } = {}): Promise<DashboardWorld> {
  const realMs = Date.now();
  const nowMs = realMs - (realMs % dayMs) - dayMs + 15 * hourMs;
  const offset = (atMs: number) => ({ CLOCK_OFFSET_MS: String(Math.round(atMs - Date.now())) });
  const thenMs = nowMs - 29 * dayMs;
  const pages = await PersonPages.open(login, {
    TRUSTED_PROXIES: "127.0.0.1",
    COUNTRY_HEADER: "X-Country",
    ...offset(thenMs),
  });
  const random = randomFrom(11);
  const browserHeaders = { Origin: pages.base };
  const cookie = await pages.post("/auth/login", login);
  const made = await ask(pages.server.url, "POST", "/account/api-key", {
    ...browserHeaders,
    Cookie: cookie,
  });
  const key: string = JSON.parse(made.body).api_key;
  const token = await makeProject(pages, key, "my-shop");
  const other = await makeProject(pages, key, "a-blog");
  await makeProject(pages, key, "quiet-site");
  await send(pages, token, visits(random, nowMs - 57 * dayMs, thenMs));
  await describe(pages, key, nowMs);
  // Browsers that were logged in are so still: the pages of the tests log in by themselves.
  await pages.restart(async () => undefined, offset(nowMs));
  await send(pages, token, visits(random, thenMs, nowMs));
  await send(pages, other, visits(random, nowMs - 3 * dayMs, nowMs));
  if (hasHostileEvent) await send(pages, token, [{ country: "DE", event: hostileEvent(nowMs) }]);
  await automated(pages, token);
  await setClock(pages, nowMs);
  return { pages, key, nowMs, shop: "my-shop", quiet: "quiet-site" };
}

/** The browser's clock stands where the server's does; it goes on from there. */
export async function setClock(pages: PersonPages, nowMs: number): Promise<void> {
  const late = Date.now() - nowMs;
  await pages.page.addInitScript(
    `{ const real = Date.now.bind(Date); Date.now = () => real() - ${late}; }`,
  );
}

async function makeProject(pages: PersonPages, key: string, name: string): Promise<string> {
  const body = { name, allowed_origins: `https://${name}.example.com` };
  const reply = await ask(pages.server.url, "POST", "/projects", { "X-API-Key": key }, body);
  if (reply.status !== 201) throw new Error(`POST /projects: ${reply.status} ${reply.body}`);
  return JSON.parse(reply.body).project_token;
}

async function describe(pages: PersonPages, key: string, nowMs: number): Promise<void> {
  const headers = { "X-API-Key": key };
  const context = {
    project: "my-shop",
    goals: ["More people who buy"],
    activation_events: ["page_view", "signup", "purchase"],
    glossary: [{ event_name: "signup", term: "Sign-up", definition: "An account was made." }],
    annotations: [
      {
        occurred_at: new Date(nowMs - 10 * dayMs).toISOString(),
        title: "New prices",
        note: "-10 %",
      },
    ],
  };
  const put = await ask(pages.server.url, "PUT", "/project-context", headers, context);
  if (put.status !== 200) throw new Error(`PUT /project-context: ${put.status} ${put.body}`);
  const experiment = {
    project: "my-shop",
    name: "button-colour",
    variants: ["control", "green"],
    goal_event: "signup",
  };
  const posted = await ask(pages.server.url, "POST", "/experiments", headers, experiment);
  if (posted.status !== 201) throw new Error(`POST /experiments: ${posted.status} ${posted.body}`);
}

const countries = ["DE", "DE", "DE", "US", "US", "FR", "NL", "JP", "BR"];
const paths = ["/", "/", "/pricing", "/blog/a-quiet-week", "/docs", "/docs/install"];
const sources = [
  {},
  {},
  { referrer: "https://news.example.org/" },
  { referrer: "https://www.google.com/" },
  { referrer: "https://www.google.com/" },
  { utm_source: "newsletter", utm_medium: "email", utm_campaign: "autumn" },
];
const machines = [
  { device: "desktop", browser: "Chrome", os: "Windows" },
  { device: "desktop", browser: "Firefox", os: "Linux" },
  { device: "mobile", browser: "Safari", os: "iOS" },
  { device: "mobile", browser: "Chrome", os: "Android" },
];

/**
 * Tells whether the tests run at this time of the day. A period before is compared up to the time of day that it is
 * now: with events then, the same question would have another answer a moment later.
 */
const isOfTests = (timeMs: number): boolean =>
  timeMs % dayMs >= 15 * hourMs && timeMs % dayMs < 16 * hourMs;

/** Visits of some 400 people, more of them on working days and in the afternoon. */
function* visits(random: Random, fromMs: number, untilMs: number): Generator<Sent> {
  for (let dayAtMs = fromMs - (fromMs % dayMs); dayAtMs < untilMs; dayAtMs += dayMs) {
    const isWeekend = [0, 6].includes(new Date(dayAtMs).getUTCDay());
    const count = (isWeekend ? 18 : 32) + random.below(10);
    for (let i = 0; i < count; i++) {
      const atMs =
        dayAtMs + Math.floor((6 + (random.below(100) + random.below(100)) / 12) * hourMs);
      const session = `${random.below(1e9)}`;
      for (const sent of visit(random, session, atMs)) {
        const { timestamp } = sent.event;
        if (timestamp >= fromMs && timestamp < untilMs && !isOfTests(timestamp)) yield sent;
      }
    }
  }
}

function visit(random: Random, session: string, startMs: number) {
  const person = random.below(400);
  const country = countries[person % countries.length] ?? "";
  const machine = machines[person % machines.length];
  const source = random.pick(sources);
  const ids = { user_id: `u${person}`, session_id: session };
  let timestamp = startMs;
  const made: { country: string; event: { timestamp: number } }[] = [];
  const add = (event: string, properties: object) => {
    timestamp += 5_000 + random.below(90_000);
    made.push({
      country,
      event: { ...ids, event, timestamp, properties: { ...machine, ...source, ...properties } },
    } as { country: string; event: { timestamp: number } });
  };
  for (let views = 1 + random.below(4); views > 0; views--) {
    add("page_view", { path: random.pick(paths) });
  }
  if (random.chance(0.3)) {
    const variant = person % 2 === 0 ? "control" : "green";
    add("$experiment_exposure", { experiment: "button-colour", variant });
  }
  if (random.chance(0.2)) add("signup", { plan: random.pick(["free", "pro"]), path: "/pricing" });
  if (random.chance(0.06)) add("purchase", { path: "/checkout", amount: random.between(5, 90) });
  return made;
}

/** Adds marks that turn the text around, and nothing that is seen. */
const turned = (text: string): string => `${text}\u202E\u200B\u{E0041}`;

const hostileEvent = (nowMs: number) => ({
  event: turned(hostileText),
  user_id: turned(hostileText),
  session_id: turned("hostile"),
  timestamp: nowMs - 2_000,
  properties: {
    path: turned(`/${hostileText}`),
    referrer: "javascript:alert(1)",
    browser: "\u202Egpj.exe",
    utm_campaign: turned("spring"),
    [turned("key")]: turned("value"),
  },
});

async function automated(pages: PersonPages, token: string): Promise<void> {
  const body = { token, event: "page_view" };
  for (const agent of [
    "curl/8.5.0",
    "Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)",
  ]) {
    await ask(pages.server.url, "POST", "/track", { "User-Agent": agent }, body);
  }
}

async function send(pages: PersonPages, token: string, all: Iterable<Sent>): Promise<void> {
  const byCountry = new Map<string, object[]>();
  for (const { country, event } of all) {
    const events = byCountry.get(country) ?? [];
    byCountry.set(country, [...events, event]);
  }
  for (const [country, events] of byCountry) {
    for (let from = 0; from < events.length; from += batchEvents) {
      const body = { token, events: events.slice(from, from + batchEvents) };
      const headers = { "User-Agent": userAgent, "X-Country": country };
      const reply = await ask(pages.server.url, "POST", "/track/batch", headers, body);
      if (reply.status !== 202) throw new Error(`/track/batch: ${reply.status} ${reply.body}`);
    }
  }
}

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Json, noonMs, type TestApp, type TestProject, testApp } from "../support/app/app";

/** A question as it goes over HTTP, and the whole answer. */
export interface Golden {
  readonly ask: string;
  readonly body?: Json;
  readonly answer: unknown;
}

/** A line of the corpus: an event, a link of two ids, or what an automated sender tried. */
interface Line extends Json {
  readonly at: string;
  /** When the server got it; at once, unless said. */
  readonly received?: string;
  readonly project?: string;
  readonly country?: string;
  readonly identify?: Json;
  readonly agent?: string;
  readonly events?: number;
}

/** What its owner says of the blog; of the shop nobody says anything. */
const blogContext = {
  project: "blog",
  goals: ["Readers subscribe"],
  activation_events: ["page_view", "subscribe"],
  glossary: [{ event_name: "subscribe", term: "Subscriber", definition: "Gets every new text" }],
  annotations: [
    { occurred_at: "2026-01-13T09:00:00+01:00", title: "New layout" },
    { occurred_at: "2026-01-02T00:00:00Z", title: "Linked by a newspaper", note: "Page /hello" },
    { occurred_at: "2025-12-01T00:00:00Z", title: "Beginning" },
  ],
};

/** The goals of the shop, oldest first. */
const value = { property: "amount", currency: "EUR" };
const shopGoals = [
  { name: "Order", event: "purchase", value },
  { name: "Prices seen", page: "/pricing*" },
  { name: "First order of a plan", event: "purchase", once_per: "plan", value },
];

const answersDir = join(import.meta.dir, "answers");

export const goldenFiles = (): readonly string[] => readdirSync(answersDir).sort();
export const fileOf = (name: string): string => join(answersDir, name);
export const goldensIn = (name: string): readonly Golden[] =>
  JSON.parse(readFileSync(fileOf(name), "utf8"));

/** An account that received the corpus, line by line and each in its time; now is noon of 14 January 2026. */
export async function openCorpus(environment: Readonly<Record<string, string>> = {}) {
  const proxy = { TRUSTED_PROXIES: "127.0.0.1", COUNTRY_HEADER: "CF-IPCountry" };
  const app = await testApp({ ...proxy, ...environment });
  const projects = new Map<string, TestProject>();
  for (const name of ["shop", "blog", "clocks", "forum"])
    projects.set(name, await app.makeProject(name));
  for (const line of corpus()) {
    app.setTime(Date.parse(line.received ?? line.at));
    const { token } = projects.get(line.project ?? "shop") ?? { token: "" };
    await receive(app, token, line);
  }
  const goals = await goalsMade(app);
  app.setTime(noonMs);
  await app.send("PUT", "/project-context", { key: app.key, body: blogContext });
  await botCountsWritten(app);
  await textsLookedThrough(app);
  const names = new Map([...goals, ...(await namesOfIds(app, [...projects.values()]))]);
  return {
    close: () => app.close(),
    operations: app.operations,
    /** The answer, with what differs from run to run replaced: ids by names or a word, cursors by a word. */
    ask: async ({ ask, body }: Golden): Promise<unknown> => {
      const [method = "", path = ""] = ask.split(" ");
      const answer = method === "GET" ? await app.get(path) : await app.post(path, body);
      return JSON.parse(JSON.stringify(answer), (key, value) => {
        if (key === "next_cursor" && value !== null) return "<cursor>";
        if (key === "id" && String(value).startsWith("ann_")) return "<annotation>";
        return typeof value === "string" ? (names.get(value) ?? value) : value;
      });
    },
  };
}

const corpus = (): readonly Line[] =>
  readFileSync(join(import.meta.dir, "corpus.ndjson"), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));

async function receive(app: TestApp, token: string, line: Line): Promise<void> {
  const { at, received: _, project: _project, country, identify, agent, events, ...said } = line;
  const headers = {
    ...(country === undefined ? {} : { "cf-ipcountry": country }),
    ...(agent === undefined ? {} : { "user-agent": agent }),
  };
  const event = { token, ...said, timestamp: Date.parse(at) };
  const tried = { event: "page_view" };
  const [path, body] =
    identify !== undefined
      ? ["/identify", { token, ...identify }]
      : agent === undefined
        ? ["/track", event]
        : ["/track/batch", { token, events: Array.from({ length: events ?? 1 }, () => tried) }];
  const answer = await app.send("POST", path, { body, headers });
  if (answer.status !== 202) throw new Error(`${JSON.stringify(line)}: ${await answer.text()}`);
}

/** Creates the goals one after the other, and returns their names by their ids. */
async function goalsMade(app: TestApp): Promise<Map<string, string>> {
  const names = new Map<string, string>();
  for (const [index, goal] of shopGoals.entries()) {
    app.setTime(noonMs - shopGoals.length + index);
    const { id } = await app.post("/goals", { project: "shop", ...goal });
    names.set(String(id), `<${goal.name}>`);
  }
  return names;
}

/** Counts of automated requests are written within a second. */
async function botCountsWritten(app: TestApp): Promise<void> {
  const sent = corpus().filter(({ agent }) => agent !== undefined).length;
  for (let tries = 0; tries < 100; tries++) {
    const { categories } = (await app.get("/account/bot-traffic?period=90d")) as {
      categories: readonly { requests: number }[];
    };
    const counted = categories.reduce((sum, { requests }) => sum + requests, 0);
    if (counted === sent) return;
    await Bun.sleep(50);
  }
  throw new Error("the automated requests were not counted");
}

/** The forum has this many, as somebody has sent orders there. */
const flaggedTexts = 5;

/** What visitors have sent is looked through behind the commit. */
async function textsLookedThrough(app: TestApp): Promise<void> {
  for (let tries = 0; tries < 400; tries++) {
    const { summary } = (await app.get("/trust?project=forum&since=2026-01-12")) as {
      summary: { values: number };
    };
    if (summary.values === flaggedTexts) return;
    await Bun.sleep(50);
  }
  throw new Error("the texts of the forum were not looked through");
}

/** Ids are new in every run; `event 17` is the 17th that this project stored. */
async function namesOfIds(app: TestApp, projects: readonly TestProject[]) {
  const names = new Map<string, string>();
  for (const { id, name } of projects) {
    names.set(id, `<${name}>`);
    const path = `/events?project=${name}&since=365d&limit=1000`;
    const { events } = (await app.get(path)) as { events: { id: string }[] };
    const ids = events.map((event) => event.id).sort();
    for (const [index, eventId] of ids.entries()) names.set(eventId, `<event ${index + 1}>`);
  }
  return names;
}

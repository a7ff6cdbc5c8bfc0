import type { SourceKind } from "../../src/domain/source";
import { visitorAgent } from "../support/browser/chromium";
import { createProject, type Project, setUpAccount } from "../support/server/account";
import { Connection, requestText } from "../support/server/connection";
import {
  ask,
  removeFolder,
  type Server,
  startServer,
  temporaryFolder,
} from "../support/server/server";
import { spentBy } from "./cpu";
import { type Figures, median } from "./figures";

const section = "Dialects";
const rounds = 3;
const requestsOfRound = 2_000;
const itemsOfBatch = 20;
const connections = 8;
const timesMax = 2;

/** What each client sends is the view of a page, with what the client itself would add to it. */
interface Item {
  readonly number: number;
  readonly url: string;
  readonly referrer: string;
  readonly title: string;
}
interface Sent {
  readonly path: string;
  readonly body: unknown;
}
interface Client {
  readonly items: number;
  send(items: readonly Item[]): Sent;
}

const made = (number: number): Item => ({
  number,
  url: `https://garten.example/p/${number % 400}?utm_source=news&utm_campaign=s${number % 7}`,
  referrer: "https://zeitung.example/a",
  title: `Page ${number % 400}`,
});
const visitor = ({ number }: Item): string => `visitor-${number % 3_000}`;
const properties = { browser: "Chrome", os: "Linux", device: "desktop", screen: "1920x1080" };

/** The two of our own that the others are held against: a batch, and a request for each event. */
const own = ({ token }: Project, items: readonly Item[]) =>
  items.map((item) => ({
    ...{ token, event: "page_view", event_id: `own-${item.number}`, user_id: visitor(item) },
    session_id: `s-${item.number % 3_000}`,
    properties: { ...properties, url: item.url, referrer: item.referrer, title: item.title },
  }));

const clients: Readonly<Record<SourceKind, Client>> = {
  plausible: {
    items: 1,
    send: ([{ url: u, referrer: r }]) => ({
      path: "/api/event",
      body: { n: "pageview", u, d: "garten.example", r, w: 1920 },
    }),
  },
  goatcounter: {
    items: 1,
    send: ([{ number, referrer, title }]) => {
      const sent = new URLSearchParams({
        p: `/p/${number % 400}`,
        r: referrer,
        t: title,
        s: "1920",
      });
      return { path: `/count?${sent}`, body: {} };
    },
  },
  umami: {
    items: itemsOfBatch,
    send: (items) => ({
      path: "/api/batch",
      body: items.map((item) => ({
        type: "event",
        payload: {
          ...{ website: "94db1cb1-74f4-4a40-ad6c-962362670409", id: visitor(item) },
          ...{ url: item.url, title: item.title, referrer: item.referrer },
          ...{ hostname: "garten.example", language: "de-DE", screen: "1920x1080" },
        },
      })),
    }),
  },
  matomo: {
    items: itemsOfBatch,
    send: (items) => ({
      path: "/matomo.php",
      body: {
        requests: items.map((item) => {
          const { url, referrer: urlref, title: action_name } = item;
          const sent = { idsite: "1", rec: "1", url, urlref, action_name, uid: visitor(item) };
          return `?${new URLSearchParams({ ...sent, res: "1920x1080", lang: "de-DE", pv_id: "abc" })}`;
        }),
      },
    }),
  },
  segment: {
    items: itemsOfBatch,
    send: (items) => ({
      path: "/v1/batch",
      body: {
        batch: items.map((item) => ({
          ...{ type: "page", anonymousId: visitor(item), messageId: `segment-${item.number}` },
          properties: { url: item.url, title: item.title, referrer: item.referrer },
          context: { userAgent: visitorAgent, locale: "de-DE" },
        })),
      },
    }),
  },
  posthog: {
    items: itemsOfBatch,
    send: (items) => ({
      path: "/batch",
      body: {
        api_key: "phc_12345678",
        batch: items.map((item) => ({
          ...{ event: "$pageview", distinct_id: visitor(item), uuid: `posthog-${item.number}` },
          properties: {
            ...{ $current_url: item.url, $referrer: item.referrer, title: item.title },
            ...{ $session_id: `s-${item.number % 3_000}`, $raw_user_agent: visitorAgent },
          },
        })),
      },
    }),
  },
  mixpanel: {
    items: itemsOfBatch,
    send: (items) => ({
      path: "/import",
      body: items.map((item) => ({
        event: "$mp_web_page_view",
        properties: {
          ...{ distinct_id: visitor(item), $insert_id: `mixpanel-${item.number}` },
          ...{ $current_url: item.url, $referrer: item.referrer, current_page_title: item.title },
        },
      })),
    }),
  },
};

/**
 * Measures what an item of each dialect costs the server, as times what the same view costs by `/track/batch`, or by
 * `/track` for clients that send one item a request. Processor time, so a busy machine changes little.
 */
export async function measureDialects(figures: Figures): Promise<void> {
  const dataDir = temporaryFolder();
  const server = await startServer({ dataDir });
  const key = await setUpAccount(server.url);
  const project = await createProject(server.url, key, "own");
  const ways = {
    batch: { items: itemsOfBatch, send: (items: readonly Item[]) => batchOf(project, items) },
    single: { items: 1, send: (items: readonly Item[]) => singleOf(project, items) },
  };
  for (const [kind, client] of Object.entries(clients)) {
    const prefix = await sourceOf(server, key, kind);
    const times: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const ours = await costOf(server, "", client.items === 1 ? ways.single : ways.batch);
      times.push((await costOf(server, prefix, client)) / ours);
    }
    const beside = client.items === 1 ? "/track" : "/track/batch";
    const what = `an item of ${kind}, as times one of ${beside}: processor time, median of three`;
    const found = median(times);
    figures.add(section, what, found.toFixed(2), timesMax.toFixed(1), found <= timesMax);
  }
  await server.stop();
  removeFolder(dataDir);
}

const batchOf = (project: Project, items: readonly Item[]): Sent => ({
  path: "/track/batch",
  body: {
    token: project.token,
    events: own(project, items).map(({ token: _, ...event }) => event),
  },
});
const singleOf = (project: Project, items: readonly Item[]): Sent => ({
  path: "/track",
  body: own(project, items)[0],
});

async function sourceOf(server: Server, key: string, kind: string): Promise<string> {
  const { id } = await createProject(server.url, key, `site-${kind}`);
  const path = `/projects/${id}/sources`;
  const made = await ask(server.url, "POST", path, { "X-API-Key": key }, { kind });
  return `/in/${JSON.parse(made.body).id}`;
}

let sentItems = 0;

/** Returns the processor time that the server takes for an item, in µs. Requests are made before it begins. */
async function costOf(server: Server, prefix: string, { items, send }: Client): Promise<number> {
  const headers = { "User-Agent": visitorAgent };
  const requests = Array.from({ length: requestsOfRound }, () => {
    const { path, body } = send(Array.from({ length: items }, () => made(sentItems++)));
    return Buffer.from(requestText("POST", prefix + path, headers, JSON.stringify(body)));
  });
  const lines = await Promise.all(
    Array.from({ length: connections }, () => Connection.open(server.url)),
  );
  const before = spentBy(server.process.pid);
  await Promise.all(
    lines.map(async (line) => {
      for (let next = requests.pop(); next !== undefined; next = requests.pop()) {
        const { status, body } = await line.send(next);
        if (status !== 200 && status !== 202) throw new Error(`${prefix}: ${status} ${body}`);
      }
    }),
  );
  for (const line of lines) line.close();
  return ((spentBy(server.process.pid) - before) * 1_000) / (requestsOfRound * items);
}

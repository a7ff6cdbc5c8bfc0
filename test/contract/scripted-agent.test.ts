import { afterAll, beforeAll, expect, test } from "bun:test";
import { dayMs, minuteMs } from "../../src/lib/clock";
import { storedText } from "../../src/lib/inert-text";
import { type Json, noonMs, type TestApp, testApp } from "../support/app/app";
import type { Called } from "../support/app/mcp";
import { type Asked, press, textSeen } from "../support/app/sign-in";

/**
 * An agent that knows an address and a question: how many signed up in the last week, from which pages, and is
 * conversion going up? All else it reads from what the server says: where to sign in, what to send, how the event is
 * called. It may make five calls and take 6,000 tokens, counted as characters sent and received, divided by four.
 */
const callsMax = 5;
const tokensMax = 6_000;
const charsPerToken = 4;

const address = "https://stats.example.com";
let app: TestApp;
/** Visits of a day that began on a page, and how many of them signed up: this week, and the week before. */
const pages = [
  { page: "/pricing", visits: [6, 6], signUps: [3, 1] },
  { page: "/blog/why", visits: [4, 3], signUps: [1, 1] },
  { page: "/", visits: [5, 5], signUps: [0, 0] },
] as const;

beforeAll(async () => {
  app = await testApp({ PUBLIC_URL: address });
  const shop = await app.makeProject("garden-shop");
  for (let day = 0; day < 14; day++) {
    const week = day < 7 ? 0 : 1;
    for (const { page, visits, signUps } of pages) {
      for (let visit = 0; visit < visits[week]; visit++) {
        const visitor = { session_id: `${page}${day}-${visit}`, user_id: `${page}${day}-${visit}` };
        const at = noonMs - day * dayMs - 60 * minuteMs;
        const view = { event: "page_view", timestamp: at, properties: { path: page } };
        const done = {
          event: "user_signed_up",
          timestamp: at + minuteMs,
          properties: { path: "/welcome" },
        };
        const sent = visit < signUps[week] ? [view, done] : [view];
        await app.track(shop, ...sent.map((event) => ({ ...visitor, ...event })));
      }
    }
  }
});
afterAll(() => app.close());

/** A request as a text shows it. */
interface Shown {
  readonly url: string;
  readonly body: string;
}

class Agent {
  calls = 0;
  chars = 0;
  #authorization: string | null = null;

  async ask(method: string, url: string, body?: string, accept?: string): Promise<string> {
    this.calls += 1;
    const headers = {
      ...(accept !== undefined && { accept }),
      ...(this.#authorization !== null && { authorization: this.#authorization }),
    };
    const sent = body === undefined ? { headers } : { headers, body };
    const answer = await app.send(method, url.slice(address.length), sent);
    const text = await answer.text();
    this.chars += method.length + url.length + (body ?? "").length + text.length;
    if (answer.status >= 400) throw new Error(`${method} ${url}: ${answer.status} ${text}`);
    return text;
  }

  post = ({ url, body }: Shown): Promise<string> => this.ask("POST", url, body);

  signIn(token: string): void {
    this.#authorization = `Bearer ${token}`;
  }

  get tokens(): number {
    return Math.ceil(this.chars / charsPerToken);
  }
}

/** The requests that stand in fences below a heading. */
function shownBelow(text: string, heading: string): readonly Shown[] {
  const [, section = ""] = text.split(`## ${heading}`);
  const [own = ""] = section.split("\n## ");
  return [...own.matchAll(/```http\nPOST (\S+)\n(\{.*\})\n```/g)].map(
    ([, url = "", body = ""]) => ({
      url,
      body,
    }),
  );
}

/** The person who is shown the address: approves, and reads the finish code from the page. */
async function approve(authorizeUrl: string): Promise<string> {
  const asked = { auth_request_id: authorizeUrl.split("/").at(-1) } as Asked;
  const page = await textSeen(await press(app, asked, "approve"));
  return /aae_[0-9a-f]+/.exec(page)?.[0] ?? "";
}

const resultIn = (text: string): Called => (JSON.parse(text) as { result: Called }).result;

test("an agent that knows only the address answers in five calls and 6,000 tokens", async () => {
  const agent = new Agent();
  const guide = await agent.ask("GET", `${address}/`, undefined, "text/markdown, text/html;q=0.5");
  const [start, exchange] = shownBelow(guide, "Sign in");
  const [describe, question] = shownBelow(guide, "The shortest way to an answer");
  if (start === undefined || exchange === undefined) throw new Error("No sign-in is shown.");
  if (describe === undefined || question === undefined) throw new Error("No question is shown.");

  const started = JSON.parse(await agent.post(start)) as Record<string, string>;
  const code = await approve(String(started.authorize_url));
  const proof = { ...(JSON.parse(exchange.body) as Json) };
  const own = { auth_request_id: started.auth_request_id, exchange_code: code };
  expect(Object.keys(proof).sort()).toEqual(Object.keys(own).sort());
  const signedIn = JSON.parse(await agent.post({ ...exchange, body: JSON.stringify(own) })) as {
    agent_session: { access_token: string };
  };
  agent.signIn(signedIn.agent_session.access_token);

  const described = resultIn(await agent.post(describe)).structuredContent;
  const { columns = [], rows = [] } = described.tables.events ?? {};
  const names = rows.map((row) => String(row[columns.indexOf("event")]));
  const signUp = names.find((name) => /sign.*up/i.test(name));
  expect(signUp).toBe("user_signed_up");

  const body = question.body.replace('"signup"', JSON.stringify(signUp));
  const { structuredContent: told, isError } = resultIn(await agent.post({ ...question, body }));
  expect(isError).toBe(false);
  const table = told.tables.rows ?? { columns: [], rows: [] };
  const found = table.rows.map((row) =>
    Object.fromEntries(table.columns.map((column, at) => [storedText(column), row[at]])),
  );

  const sum = (column: string) => found.reduce((all, row) => all + Number(row[column] ?? 0), 0);
  const rate = sum("conversions") / sum("session_count");
  const before = sum("previous.conversions") / sum("previous.session_count");
  expect(sum("conversions")).toBe(28);
  const byPage = Object.fromEntries(
    found.map((row) => [row["session.entry_page"], row.conversions]),
  );
  expect(byPage).toEqual({ "/pricing": 21, "/blog/why": 7, "/": 0 });
  expect([rate, before]).toEqual([28 / 105, 14 / 98]);
  expect(rate).toBeGreaterThan(before);

  expect(agent.calls).toBeLessThanOrEqual(callsMax);
  expect(agent.tokens).toBeLessThanOrEqual(tokensMax);
  expect(agent.tokens).toBeGreaterThan(1_000);
});

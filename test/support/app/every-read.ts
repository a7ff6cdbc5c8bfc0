import { dayOf } from "../../../src/domain/event";
import { splitName } from "../../../src/http/operation/facts";
import type { Operation } from "../../../src/http/operation/operation";
import { type Call, type Json, noonMs, type TestApp, testApp } from "./app";
import { dayRow, importDays } from "./imported-days";
import { operations } from "./operations";

/** A question of a read, as a client asks it: the fields of its query string or its body. */
export interface AskedRead {
  readonly label: string;
  readonly operation: Operation;
  readonly fields: Json;
}

/** Reads of what happens now have no data that could be read again; two of them have no end. */
export const ofNow: readonly string[] = ["GET /live", "GET /stream", "GET /live/ws"];

/** Questions of another form than the example, which an operation documents. */
const others: Readonly<Record<string, readonly Json[]>> = {
  "GET /stats": [{ project: "shop", since: "3d", groupBy: "week" }],
  "GET /history": [{ project: "shop", since: "200d", groupBy: "week", dimension: "page" }],
  "GET /breakdown": [{ project: "shop", property: "path", tz: "Asia/Tokyo", limit: 1 }],
  "GET /changes": [
    { project: "shop", since: "4d", until: "2d", metric: "users" },
    { project: "shop", since: "2d", until: "1d", dimensions: "page" },
  ],
  "GET /pages": [{ project: "shop", type: "exit", context: false }],
  "GET /retention": [{ project: "shop", period: "day", cohorts: 5 }],
  "GET /account/bot-traffic": [{ period: "14d" }],
  "POST /query": [
    { project: "shop", group_by: ["event", "session.entry_page"], limit: 1 },
    { project: "shop", group_by: ["user_id"], compare: "previous", date_from: "9d", date_to: "4d" },
    { project: "shop", queries: [{ group_by: ["properties.plan"] }, { date_from: "2d" }] },
  ],
};

/** Every read but the streams with its example, and with the other forms of its question. */
export const askedReads: readonly AskedRead[] = operations
  .filter(({ rule, isStream, name }) => rule.read && !isStream && name !== "GET /live/ws")
  .flatMap((operation) => {
    const example = operation.doc.example?.input;
    if (example === undefined) throw new Error(`${operation.name} has no example.`);
    return [example, ...(others[operation.name] ?? [])].map((fields) => ({
      label: `${operation.name} ${JSON.stringify(fields)}`,
      ...{ operation, fields },
    }));
  });

/** The questions whose operation takes a field, with their labels, for test.each. */
export const asking = (field: string, among = askedReads) =>
  among
    .filter(({ operation }) => operation.takes.properties?.[field] !== undefined)
    .map((asked) => [asked.label, asked] as const);

/** One question of each read: what is refused does not depend on its form. */
export const examplesOfReads = askedReads.filter(
  ({ operation, fields }) => fields === operation.doc.example?.input,
);

/** A word in every text that a visitor can choose, but for the names of events and keys that examples ask for. */
export const plantedWord = "zebra";

/** An account with a shop whose visitors planted a word everywhere, and with a project that has nothing. */
export async function openReads(): Promise<ReadWorld> {
  const app = await testApp();
  const shop = await app.makeProject("shop");
  await app.makeProject("empty");
  const said = (event: string, user: number, minutes: number) => ({
    ...{ event, user_id: `u${user}`, session_id: `${plantedWord} s${user}` },
    timestamp: noonMs - (user - 1) * dayMs - 60 * minuteMs + minutes * minuteMs,
    properties: { path: `/${plantedWord} ${event}`, plan: `${plantedWord} ${user % 2}` },
  });
  for (const user of [85, 11, 6, 3, 2, 1]) {
    app.setTime(noonMs - (user - 1) * dayMs);
    await app.track(
      shop,
      ...["page_view", "signup", "purchase", plantedWord].map((name, at) => said(name, user, at)),
    );
  }
  const long = dayOf(noonMs) - 100;
  const planted = { dimension: "page", value: `/${plantedWord}` } as const;
  importDays(app, shop.id, "imp_1", [dayRow(long, 7), dayRow(long, 5, planted)]);
  const traits = { plan: plantedWord };
  await app.post("/identify", { token: shop.token, previous_id: "u1", user_id: "u1", traits });
  const hero = { project: "shop", name: "hero", variants: ["a", "b"], goal_event: "signup" };
  const { id } = await app.post("/experiments", hero);
  return new ReadWorld(app, String(id));
}
const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

export class ReadWorld {
  constructor(
    readonly app: TestApp,
    readonly experimentId: string,
  ) {}

  /** Asks a question with more fields, or with others. */
  ask({ operation, fields }: AskedRead, more: Json = {}, call: Call = {}): Promise<Response> {
    const { method, path } = splitName(operation.name);
    const place = path.replace("{id}", this.experimentId);
    return this.send(method, place, { ...fields, ...more }, call);
  }

  send(method: string, path: string, fields: Json, call: Call = {}): Promise<Response> {
    const key = call.headers === undefined ? { key: this.app.key } : {};
    if (method !== "GET") return this.app.send(method, path, { ...key, body: fields, ...call });
    const sent = Object.entries(fields).filter(([, value]) => value !== undefined);
    const texts = sent.map(([name, value]): [string, string] => [
      name,
      typeof value === "object" ? JSON.stringify(value) : String(value),
    ]);
    return this.app.send(method, `${path}?${new URLSearchParams(texts)}`, { ...key, ...call });
  }

  /** The answer, which must be a success. */
  async answer(asked: AskedRead, more: Json = {}, call: Call = {}): Promise<Json> {
    const response = await this.ask(asked, more, call);
    const text = await response.text();
    if (!response.ok) throw new Error(`${asked.label} ${JSON.stringify(more)}: ${text}`);
    return JSON.parse(text);
  }

  async withReceipt(asked: AskedRead, more: Json = {}) {
    const response = await this.ask(asked, { ...more, receipt: true });
    return receiptIn(response, asked.label);
  }

  /** The receipt of the request that a receipt names. */
  async again({ request }: Pick<Receipt, "request">): Promise<Receipt> {
    const { method, path, query, body } = request;
    const response = await this.send(method, path, { ...(query ?? body), receipt: true });
    return (await receiptIn(response, path)).receipt;
  }

  /** A window that begins before the clocks of Europe went back in October, where a read may be asked for one. */
  sinceAutumn({ operation, fields }: AskedRead): Json {
    const { since, date_from: from } = operation.takes.properties ?? {};
    if (fields.queries !== undefined || fields.compare !== undefined) return {};
    // Dates take the place of the length of a window.
    const isLength = /^\d+d$/.test(String(fields.period));
    if (since?.type === "string") return { since: "120d", ...(isLength && { period: undefined }) };
    return from === undefined ? {} : { date_from: "120d" };
  }
}

/** The parts of a receipt that suites look at. */
export interface Receipt {
  readonly through: number;
  readonly data_version: number;
  readonly request: { readonly method: "GET" | "POST"; path: string; query?: Json; body?: Json };
  readonly window: { readonly start: string; readonly end: string } | null;
  readonly filters: unknown;
  readonly excluded: { readonly automated_requests: number };
  readonly scanned: { readonly rows: number; readonly segments: number };
  readonly body_sha256: string;
}

async function receiptIn(response: Response, label: string) {
  const whole = await response.text();
  if (!response.ok) throw new Error(`${label}: ${whole}`);
  const { receipt } = JSON.parse(whole) as { readonly receipt: Receipt };
  return { receipt, whole, headers: response.headers };
}

import { afterAll, beforeAll, expect, test } from "bun:test";
import { splitName } from "../../src/http/operation/facts";
import { type Json, noonMs, type TestApp, testApp } from "../support/app/app";
import { sharedOperations } from "../support/app/operations";

/**
 * What a share with filters is answered is what the owner of a project gets in which there are only the events for
 * which they hold, on every operation.
 */
let app: TestApp;
let token: string;
/** The experiments of the whole project and of the other one. */
const experimentIds = new Map<string, string>();

const ofShare = [
  { field: "properties.plan", op: "eq", value: "a" },
  {
    any: [
      { field: "properties.amount", op: "lt", value: 50 },
      { field: "event", op: "eq", value: "pay" },
    ],
  },
];
const pages = ["events", "sessions", "journeys", "identity", "user_id", "session_id"];

const events = Array.from({ length: 60 }, (_, at) => ({
  event: ["view", "page_view", "pay"][at % 3] ?? "",
  user_id: (at % 13) % 4 === 0 ? `b${at % 3}` : `u${(at % 11) % 7}`,
  session_id: at % 13 === 12 ? "b" : `s${at % 11}`,
  timestamp: noonMs - (60 - at) * 2_700_000,
  properties: { plan: (at % 13) % 4 === 0 ? "b" : "a", path: `/${at % 5}`, amount: at },
}));
const isSeen = ({ event, properties: { plan, amount } }: (typeof events)[number]): boolean =>
  plan === "a" && (event === "pay" || amount < 50);

beforeAll(async () => {
  app = await testApp();
  for (const [name, stored] of [
    ["shop", events],
    ["part", events.filter(isSeen)],
  ] as const) {
    await app.track(await app.makeProject(name), ...stored);
    const hero = { name: "hero", variants: ["a", "b"], goal_event: "pay" };
    const { id } = await app.post("/experiments", { project: name, ...hero });
    experimentIds.set(name, String(id));
  }
  const body = { project: "shop", name: "S", pages, filters: ofShare };
  const { url } = await app.post("/shares", body);
  token = String(url).split("/").at(-1) ?? "";
});
afterAll(() => app.close());

const needed: Readonly<Record<string, Json>> = {
  "GET /breakdown": { property: "plan" },
  "POST /query": { group_by: ["event", "date"], metrics: ["event_count", "sum:properties.amount"] },
  "POST /paths": { goal_event: "pay" },
  "POST /funnel": { steps: ["page_view", "pay"] },
  "GET /retention": { period: "day", breakdown: "user.first_entry_page" },
};
/** They show more than events, to which filters cannot be applied. */
const refused = [
  ...[
    "GET /bot-traffic",
    "GET /history",
    "GET /journey",
    "GET /live",
    "GET /trust",
    "GET /projects/{id}",
  ],
  ...["GET /projects/{id}/usage", "GET /replays", "GET /replays/{id}"],
  ...["GET /replays/{id}/timeline", "POST /replays/{id}/open"],
];

type Asking = Readonly<{ project: "shop" | "part"; headers: Readonly<Record<string, string>> }>;
async function ask(name: string, fields: Json, { project, headers }: Asking) {
  const { method, path } = splitName(name);
  const id = path.startsWith("/projects") ? project : (experimentIds.get(project) ?? "");
  const input = { ...(path.includes("{id}") ? {} : { project }), ...needed[name], ...fields };
  if (method === "POST") {
    return app.send(method, path.replace("{id}", id), { headers, body: input });
  }
  const texts = Object.entries(input).map(([key, value]): [string, string] => [
    key,
    typeof value === "string" ? value : JSON.stringify(value),
  ]);
  return app.send(method, `${path.replace("{id}", id)}?${new URLSearchParams(texts)}`, { headers });
}
/** What the two projects do not have in common is left out; a share is not told whether sessions were recorded. */
const answerOf = async (response: Response) => {
  const text = (await response.text())
    .replaceAll(/"part"|\bpart\b/g, (name) => name.replace("part", "shop"))
    .replaceAll(/(proj|exp|acc)_[a-z0-9]{16}|[0-9A-HJKMNP-TV-Z]{26}/g, "id")
    .replaceAll(',"has_replay":false,"replays":[]', "");
  return [
    response.status,
    text.replace(",has_replay,replays", "").replaceAll(",false,[]", ""),
  ] as const;
};
const share = (more: Asking["headers"] = {}): Asking => ({
  ...{ project: "shop", headers: { authorization: `Bearer ${token}`, ...more } },
});
const owner = (project: Asking["project"], more: Asking["headers"] = {}): Asking => ({
  ...{ project, headers: { "x-api-key": app.key, ...more } },
});

const own = [
  { field: "properties.amount", op: "lt", value: 45 },
  { field: "session.entry_page", op: "neq", value: "/4" },
  { did: "view" },
];

test.each([...sharedOperations])("%s", async (name) => {
  const operation = app.operations.find((one) => String(one.name) === name);
  if (refused.includes(name)) {
    expect((await ask(name, {}, share())).status).toBe(403);
    return;
  }
  const takesFilters = operation?.takes.properties?.filters !== undefined;
  for (const fields of [{}, ...(takesFilters ? [{ filters: own }] : [])]) {
    const narrowed = await answerOf(await ask(name, fields, share()));
    expect(narrowed).toEqual(await answerOf(await ask(name, fields, owner("part"))));
    expect(narrowed[0]).toBe(200);
    if (!takesFilters) continue;
    expect(narrowed).not.toEqual(await answerOf(await ask(name, fields, owner("shop"))));
  }
  if (operation?.csv === undefined) return;
  const csv = { accept: "text/csv" };
  const rows = await answerOf(await ask(name, {}, share(csv)));
  expect(rows).toEqual(await answerOf(await ask(name, {}, owner("part", csv))));
});

import { afterAll, beforeAll, expect, test } from "bun:test";
import { sharedOperations } from "../../src/http/auth/share-access";
import { splitName } from "../../src/http/operation/endpoint-index";
import { type Json, noonMs, type TestApp, testApp } from "../support/app";

/** What a share with filters answers is what its owner gets who asks with these filters, on every operation. */
let app: TestApp;
let token: string;
let experimentId: string;

const ofShare = [
  { field: "properties.plan", op: "eq", value: "a" },
  {
    any: [
      { field: "country", op: "is_null" },
      { field: "event", op: "eq", value: "pay" },
    ],
  },
];
const pages = ["events", "sessions", "journeys", "identity", "user_id", "session_id"];

beforeAll(async () => {
  app = await testApp();
  const shop = await app.makeProject("shop");
  const events = Array.from({ length: 60 }, (_, at) => ({
    event: ["view", "page_view", "pay"][at % 3],
    user_id: `u${(at % 11) % 7}`,
    session_id: `s${at % 11}`,
    timestamp: noonMs - (60 - at) * 2_700_000,
    properties: { plan: (at % 11) % 4 === 0 ? "b" : "a", path: `/${at % 5}`, amount: at },
  }));
  await app.track(shop, ...events);
  const body = { project: "shop", name: "S", pages, filters: ofShare };
  const { url } = await app.post("/shares", body);
  token = String(url).split("/").at(-1) ?? "";
  const hero = { name: "hero", variants: ["a", "b"], goal_event: "pay" };
  experimentId = String((await app.post("/experiments", { project: "shop", ...hero })).id);
});
afterAll(() => app.close());

const needed: Readonly<Record<string, Json>> = {
  "GET /breakdown": { property: "plan" },
  "POST /query": { group_by: ["event", "date"], metrics: ["event_count", "sum:properties.amount"] },
  "POST /paths": { goal_event: "pay" },
  "POST /funnel": { steps: ["page_view", "pay"] },
  "GET /journey": { user_id: "u1" },
};
/** They have no numbers of visitors. */
const open = ["GET /project-context", "GET /experiments"];

async function ask(name: string, fields: Json, headers: Readonly<Record<string, string>>) {
  const { method, path } = splitName(name);
  const ofPath = path.replace("{id}", path.startsWith("/projects") ? "shop" : experimentId);
  const input = {
    ...(path.includes("{id}") ? {} : { project: "shop" }),
    ...needed[name],
    ...fields,
  };
  if (method === "POST") return app.send(method, path, { headers, body: input });
  const texts = Object.entries(input).map(([key, value]): [string, string] => [
    key,
    typeof value === "string" ? value : JSON.stringify(value),
  ]);
  return app.send(method, `${ofPath}?${new URLSearchParams(texts)}`, { headers });
}
/** A share is not told whether sessions were recorded. */
const answerOf = async (response: Response) => {
  const text = (await response.text()).replaceAll(',"has_replay":false,"replays":[]', "");
  return [
    response.status,
    text.replace(",has_replay,replays", "").replaceAll(",false,[]", ""),
  ] as const;
};
const owner = () => ({ "x-api-key": app.key });
const share = () => ({ authorization: `Bearer ${token}` });

const own = [{ field: "properties.amount", op: "lt", value: 40 }];

test.each([...sharedOperations.keys()])("%s", async (name) => {
  const operation = app.operations.find((one) => String(one.name) === name);
  const takesFilters = operation?.takes.properties?.filters !== undefined;
  if (!takesFilters) {
    const [status] = await answerOf(await ask(name, {}, share()));
    expect(status).toBe(open.includes(name) ? 200 : 403);
    return;
  }
  for (const added of [[], own]) {
    const fields = added.length === 0 ? {} : { filters: added };
    const narrowed = await answerOf(await ask(name, fields, share()));
    const filters = [...ofShare, ...added];
    expect(narrowed).toEqual(await answerOf(await ask(name, { filters }, owner())));
    expect(narrowed[0]).toBe(200);
    expect(narrowed).not.toEqual(await answerOf(await ask(name, fields, owner())));
  }
  if (operation?.csv === undefined) return;
  const csv = { accept: "text/csv" };
  const rows = await answerOf(await ask(name, {}, { ...share(), ...csv }));
  const ofOwner = await ask(name, { filters: ofShare }, { ...owner(), ...csv });
  expect(rows).toEqual(await answerOf(ofOwner));
});

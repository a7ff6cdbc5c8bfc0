import { afterAll, beforeAll, expect, test } from "bun:test";
import { type TestApp, visitorAgent } from "../support/app/app";
import { openShop } from "../support/app/shop";

let app: TestApp;
beforeAll(async () => {
  ({ app } = await openShop());
});
afterAll(() => app.close());

const query = [
  ...["stats", "breakdown", "pages", "sessions", "sessions/distribution", "heatmap", "insights"],
  ...["events", "retention", "properties", "changes"],
];
const bodies: readonly (readonly [string, object])[] = [
  ["query", {}],
  ["paths", { goal_event: "buy" }],
  ["funnel", { steps: ["look", "buy"] }],
];
/** What each of them needs besides. */
const needed = (path: string) => (path === "breakdown" ? "&property=n" : "");

async function answer(path: string, filters: unknown): Promise<Response> {
  const body = bodies.find(([name]) => name === path)?.[1];
  if (body !== undefined) {
    return app.send("POST", `/${path}`, {
      key: app.key,
      body: { project: "shop", ...body, filters },
    });
  }
  const text = encodeURIComponent(JSON.stringify(filters));
  return app.send("GET", `/${path}?project=shop${needed(path)}&filters=${text}`, { key: app.key });
}
interface Refusal {
  readonly error: string;
  readonly allowed?: readonly string[];
  readonly suggested_field?: string;
}
const all = [...query, ...bodies.map(([path]) => path)];

test("these are all reads that take filters, and each may answer with warnings", () => {
  const isOne = ({ rule, takes }: TestApp["operations"][number]) =>
    rule.read && Object.hasOwn(takes.properties ?? {}, "filters");
  const filtered = app.operations.filter(isOne);
  const asked = [
    ...query.map((path) => `GET /${path}`),
    ...bodies.map(([path]) => `POST /${path}`),
  ];
  expect(filtered.map(({ name }) => name as string).sort()).toEqual(asked.sort());
  const answers = filtered.map(({ name, returns }) => [name, JSON.stringify(returns)]);
  const warned = expect.stringContaining('"warnings":');
  expect(answers).toEqual(answers.map(([name]) => [name, warned]));
});

test.each(all)("/%s takes filters", async (path) => {
  const whole = await (await answer(path, [])).json();
  const none = await (await answer(path, [{ field: "country", op: "eq", value: "XX" }])).json();
  const same = await (await answer(path, [{ field: "country", op: "is_null" }])).json();
  expect(none).not.toEqual(whole);
  expect(same).toEqual(whole);
});

test.each(all)("/%s takes fields of sessions", async (path) => {
  const whole = await (await answer(path, [])).json();
  const none = await (
    await answer(path, [{ field: "session.entry_page", op: "eq", value: "/nowhere" }])
  ).json();
  const country = await (await answer(path, [{ field: "session.country", op: "is_null" }])).json();
  expect(none).not.toEqual(whole);
  expect(country).toEqual(whole);
});

test("an event has the entry page of its session, whatever its own page is", async () => {
  const body = {
    ...{ project: "shop", metrics: ["event_count", "session_count"], count_mode: "raw" },
    group_by: ["session.exit_page", "event"],
    filters: [{ field: "session.entry_page", op: "eq", value: "/" }],
  };
  const { rows } = (await app.post("/query", body)) as { rows: readonly object[] };
  expect(rows).toEqual([
    { "session.exit_page": "/pricing", event: "page_view", event_count: 2, session_count: 1 },
    { "session.exit_page": "/", event: "page_view", event_count: 1, session_count: 1 },
    { "session.exit_page": "/pricing", event: "buy", event_count: 1, session_count: 1 },
  ]);
});

test.each(all)(
  "/%s answers what people did, written as a field, with the item that it is",
  async (path) => {
    const suggested_item = { did: "<event>" };
    for (const field of ["did", "session_did"]) {
      const refused = await answer(path, [{ field, op: "eq", value: "buy" }]);
      expect([refused.status, await refused.json()]).toMatchObject([
        ...[400, { error: "INVALID_FILTER_FIELD", suggested_field: null, suggested_item }],
      ]);
    }
    expect((await answer(path, [suggested_item])).status).toBe(200);
  },
);

test("a field that sessions do not have is refused with those that they have", async () => {
  const refusal = async (path: string, body: object) => {
    const response = await app.send("POST", path, { key: app.key, body });
    return [response.status, (await response.json()) as Refusal] as const;
  };
  const filters = [{ field: "session.entrypage", op: "eq", value: "/" }];
  const [status, filter] = await refusal("/query", { project: "shop", filters });
  expect([status, filter.error]).toEqual([400, "INVALID_FILTER_FIELD"]);
  expect(filter.suggested_field).toBe("session.entry_page");
  expect(filter.allowed).toContain("session.exit_page");
  const [, group] = await refusal("/query", { project: "shop", group_by: ["session.utmsource"] });
  expect([group.error, group.suggested_field]).toEqual([
    ...["INVALID_GROUP_BY", "session.utm_source"],
  ]);
});

test.each(all)("/%s refuses what it does not know of a filter", async (path) => {
  const refused = async (filter: object) => {
    const response = await answer(path, [filter]);
    const { error, allowed, suggested_field } = (await response.json()) as Refusal;
    return [response.status, error, allowed?.length ?? suggested_field];
  };
  expect(await refused({ field: "n", op: "eq", value: 1 })).toEqual([
    ...[400, "INVALID_FILTER_FIELD", "properties.n"],
  ]);
  expect(await refused({ field: "event", op: "is", value: 1 })).toEqual([
    ...[400, "INVALID_FILTER_OP", 12],
  ]);
  expect(await refused({ field: "properties.a b", op: "eq", value: 1 })).toEqual([
    ...[400, "INVALID_PROPERTY_KEY", undefined],
  ]);
});

const country =
  'The filter country = "Germany" matches nothing: countries are codes of two capital letters, such as "DE".';
const channel =
  '"organic" is not a channel, so the filter matches nothing. Did you mean "Organic Search"?';
const device =
  'No event in this period has the device "phone". The tracker sends desktop, mobile, tablet.';

test.each(all)("/%s says which values of its filters no event can have", async (path) => {
  const warned = async (filters: readonly object[]) => {
    const { warnings } = (await (await answer(path, filters)).json()) as {
      warnings?: (string | { message: string })[];
    };
    // The warnings of a funnel are texts, about its steps as well.
    return warnings
      ?.map((one) => (typeof one === "string" ? one : one.message))
      .filter((one) => !one.startsWith("Step "));
  };
  const warningsOf = (field: string, value: string) =>
    warned([{ any: [{ field, op: "eq", value }, { did: "buy" }] }]);
  const usual = await warned([]);
  expect(await warningsOf("country", "Germany")).toEqual([country]);
  expect(await warningsOf("session.channel", "organic")).toEqual([channel]);
  expect(await warningsOf("session.device", "phone")).toEqual([device]);
  expect(await warningsOf("country", "DE")).toEqual(usual);
  expect(await warningsOf("properties.device", "mobile")).toEqual([
    'No event has the property "device" in this period. GET /properties lists the keys that exist.',
  ]);
});

test("filters of a step and of a goal are looked at, too", async () => {
  const filters = [{ field: "country", op: "eq", value: "Germany" }];
  const steps = ["look", { event: "buy", filters }];
  const { warnings } = (await app.post("/funnel", { project: "shop", steps })) as {
    warnings: readonly string[];
  };
  expect(warnings).toContain(country);
  const goal = { event: "buy", filters };
  for (const more of [{}, { compare: "week" }]) {
    const asked = { project: "shop", metrics: ["conversions"], goal, ...more };
    expect(await app.post("/query", asked)).toMatchObject({
      warnings: [
        { code: "impossible_value", message: country, field: "country", value: "Germany" },
      ],
    });
  }
});

test("a table in CSV says that there are warnings", async () => {
  const filters = encodeURIComponent(
    JSON.stringify([{ field: "country", op: "eq", value: "Germany" }]),
  );
  for (const path of ["pages", "sessions", "stats", "events"]) {
    const address = `/${path}?project=shop&filters=${filters}&format=csv`;
    const { headers } = await app.send("GET", address, { key: app.key });
    expect([path, headers.get("x-warnings")]).toEqual([path, "1"]);
  }
});

test("a device that events have is no mistake, whoever sends it", async () => {
  const device = async (field: string) =>
    (await answer("query", [{ field, op: "in", value: ["kiosk"] }])).json();
  expect(await device("properties.device")).toHaveProperty("warnings");
  const { project_token: token } = (await app.get("/projects/shop")) as { project_token: string };
  await app.send("POST", "/track", {
    headers: { origin: "https://shop.example.com", "user-agent": visitorAgent },
    body: { token, event: "page_view", properties: { device: "kiosk" } },
  });
  for (const field of ["properties.device", "session.device"])
    expect(await device(field)).not.toHaveProperty("warnings");
});

test("a word that sessions alone have is probably theirs, unless the project has such a property", async () => {
  const meant = async (field: string) => {
    const filters = [{ field, op: "eq", value: "x" }];
    const answers = [{ filters }, { group_by: [field] }].map((body) =>
      app.send("POST", "/query", { key: app.key, body: { project: "shop", ...body } }),
    );
    const refusals = (await Promise.all(answers)).map(async (one) => (await one.json()) as Refusal);
    return (await Promise.all(refusals)).map(({ suggested_field }) => suggested_field);
  };
  for (const name of ["source", "channel", "entry_page", "exit_page"]) {
    expect(await meant(name)).toEqual([`session.${name}`, `session.${name}`]);
  }
  // The tracker sends these as properties.
  for (const name of ["utm_source", "referrer", "browser", "plan"]) {
    expect(await meant(name)).toEqual([`properties.${name}`, `properties.${name}`]);
  }
  const shop = (await app.get("/projects/shop")) as { project_token: string };
  await app.send("POST", "/track", {
    headers: { origin: "https://shop.example.com", "user-agent": visitorAgent },
    body: { token: shop.project_token, event: "signup", properties: { source: "tv" } },
  });
  expect((await meant("source"))[0]).toBe("properties.source");
});

test.each(all)("/%s names what the project has, when a filter's field is unknown", async (path) => {
  const unknown = await answer(path, [{ field: "plan", op: "eq", value: "pro" }]);
  expect([unknown.status, await unknown.json()]).toMatchObject([
    400,
    {
      error: "INVALID_FILTER_FIELD",
      suggested_field: "properties.plan",
      available_properties: {
        events: expect.arrayContaining([expect.objectContaining({ event: "page_view" })]),
        property_keys: expect.any(Array),
      },
    },
  ]);
  const lacking = (await (await answer(path, [{ field: "event", op: "eq" }])).json()) as object;
  expect(lacking).toHaveProperty("available_properties.events");
});

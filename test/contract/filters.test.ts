import { afterAll, beforeAll, expect, test } from "bun:test";
import { type TestApp, visitorAgent } from "../support/app/app";
import { openShop } from "../support/app/shop";

let app: TestApp;
beforeAll(async () => {
  ({ app } = await openShop());
});
afterAll(() => app.close());

const answer = (filters: unknown): Promise<Response> =>
  app.send("POST", "/query", { key: app.key, body: { project: "shop", filters } });
interface Refusal {
  readonly error: string;
  readonly allowed?: readonly string[];
  readonly suggested_field?: string;
}
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

const country =
  'The filter country = "Germany" matches nothing: countries are codes of two capital letters, such as "DE".';

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
    (await answer([{ field, op: "in", value: ["kiosk"] }])).json();
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

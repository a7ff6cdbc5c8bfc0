import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Json, type TestApp, type TestProject, testApp } from "../support/app/app";

let app: TestApp;
let shop: TestProject;
beforeAll(async () => {
  app = await testApp();
  shop = await app.makeProject("shop");
});
afterAll(() => app.close());

async function refusalOf(method: string, path: string, body?: Json): Promise<Json> {
  const answer = await app.send(method, path, { key: app.key, ...(body && { body }) });
  expect([path, answer.status]).toEqual([path, 400]);
  return (await answer.json()) as Json;
}
const question = (more: Json) => ({ project: shop.name, metrics: ["event_count"], ...more });

describe("a field that may have either of two names", () => {
  test("is refused under the one that was sent", async () => {
    for (const name of ["since", "date_from"]) {
      const found = await refusalOf("GET", `/stats?project=shop&${name}=soon`);
      expect([found.field, String(found.message).startsWith(`"${name}" must be a number`)]).toEqual(
        [name, true],
      );
      const asked = await refusalOf("POST", "/query", question({ [name]: "soon" }));
      expect([asked.field, String(asked.message).startsWith(`"${name}" must be`)]).toEqual([
        name,
        true,
      ]);
      const typed = await refusalOf("POST", "/query", question({ [name]: 7 }));
      expect([typed.field, typed.message]).toEqual([name, `"${name}" must be a string.`]);
    }
    const grouped = await refusalOf("GET", "/stats?project=shop&group_by=year");
    expect(grouped).toMatchObject({
      field: "group_by",
      message: '"group_by" must be one of hour, day, week, month.',
    });
    const item = await refusalOf("POST", "/query", question({ groupBy: [7] }));
    expect([item.field, item.message]).toEqual(["groupBy[0]", '"groupBy[0]" must be a string.']);
  });

  test("is known under either in each of several queries, and in a period to compare with", async () => {
    const ask = async (query: Json): Promise<Json> => {
      const body = { project: "shop", context: false, queries: [query] };
      return (await app.post("/query", body)) as Json;
    };
    const dates = { date_from: "2026-01-01", date_to: "2026-01-02" };
    const compare = { date_from: "2025-12-01", date_to: "2025-12-02" };
    const documented = await ask({ ...dates, group_by: ["event"], compare });
    const other = { since: dates.date_from, until: dates.date_to, groupBy: ["event"] };
    const compared = { since: compare.date_from, until: compare.date_to };
    expect(await ask({ ...other, compare: compared })).toEqual(documented);
    expect(documented).toMatchObject({ results: [{ period: { from: "2026-01-01" } }] });
  });

  test("is named as it was sent where it is the other one of two that disagree", async () => {
    const path = "/stats?project=shop&since=2026-01-10&date_to=2026-01-09";
    expect(await refusalOf("GET", path)).toMatchObject({
      field: "since",
      message: '"since" (2026-01-10) must not be later than "date_to" (2026-01-09).',
    });
  });
});

test("messages begin with the name of the field in quotation marks", async () => {
  const weeks = "/retention?project=shop&period=week&cohorts=13";
  expect((await refusalOf("GET", weeks)).message).toBe(
    '"cohorts" must be at most 12 for weeks and months.',
  );
  expect((await refusalOf("GET", "/events?project=shop&cursor=none")).message).toBe(
    '"cursor" must be the next_cursor of a previous response.',
  );
  expect((await refusalOf("POST", "/paths", { project: "shop", goal_event: " " })).message).toBe(
    '"goal_event" must be an event name of 1 to 256 characters, or {"goal": "<name>"}.',
  );
});

test("a text of the wrong form is refused with the pattern, and a wrong constant with the right one", async () => {
  const slug = { slug: "No slug!", name: "Shops", projects: [] };
  const refused = await refusalOf("POST", "/portfolios", slug);
  expect(refused.message).toMatch(/^"slug" must match \^.*\$\.$/);
});

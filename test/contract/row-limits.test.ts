import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { batchEventsMax, pageLimitMax } from "../../src/domain/limits";
import { selectionOf } from "../../src/domain/metric";
import { requestOf } from "../../src/features/query/question";
import type { Snapshot } from "../../src/store/questions";
import { type Json, noonMs, type TestApp, type TestProject, testApp } from "../support/app/app";

/** The project has as many rows as a read may answer, and one more. */
let app: TestApp;
let project: TestProject;
let sent = 0;

/** Each event is a session, an entry page, a user and a value by itself. */
async function trackUpTo(count: number): Promise<void> {
  while (sent < count) {
    const length = Math.min(batchEventsMax, count - sent);
    const events = Array.from({ length }, (_, index) => {
      const n = sent + index;
      const id = String(n).padStart(4, "0");
      return {
        event: "page_view",
        ...{ user_id: `u${id}`, session_id: `s${id}`, timestamp: noonMs - 1 - n },
        properties: { path: `/${id}`, n },
      };
    });
    await app.track(project, ...events);
    sent += length;
  }
}

beforeAll(async () => {
  app = await testApp();
  project = await app.makeProject("shop");
  await trackUpTo(pageLimitMax);
});
afterAll(() => app.close());

const query = (group: string, limit: number, more: Json = {}) =>
  app.post("/query", {
    ...{ project: "shop", metrics: ["event_count"], group_by: [group], limit, count_mode: "raw" },
    ...more,
  });
const fields = ["properties.n", "session.entry_page", "user_id", "session_id"];

/** Returns how many rows came, and what is said about those that did not. */
const cutOf = ({ truncated, groups_total }: Json, rows: unknown) => ({
  rows: (rows as readonly unknown[]).length,
  ...(truncated === undefined ? {} : { truncated }),
  ...(groups_total === undefined ? {} : { groups_total }),
});
const ofQuery = async (group: string, limit: number, more?: Json) => {
  const answer = await query(group, limit, more);
  expect(answer.count).toBe((answer.rows as readonly unknown[]).length);
  return cutOf(answer, answer.rows);
};
async function ofBreakdown(limit: number) {
  const answer = await app.get(`/breakdown?project=shop&property=n&limit=${limit}`);
  return cutOf(answer, answer.values);
}
async function ofPages(limit: number) {
  const answer = await app.get(`/pages?project=shop&limit=${limit}`);
  return cutOf(answer, answer.entry_pages);
}
const csvLines = async (path: string) => {
  const headers = { accept: "text/csv" };
  const text = await (await app.send("GET", path, { key: app.key, headers })).text();
  return text.split("\r\n").length - 2; // the header, and what follows the last line
};
const rowsOfList = async (path: string, name: string) => {
  const answer = await app.get(path);
  const rows = answer[name] as readonly unknown[];
  return [rows.length, typeof answer.next_cursor === "string"];
};

describe("projects of an account", () => {
  test("are 10 unless asked for, and all of them where there are more than 50", async () => {
    const own = await testApp();
    try {
      for (let at = 0; at < 53; at++) {
        const one = await own.makeProject(`site${at}`);
        if (at > 0) await own.track(one, { event: "visit" });
      }
      const listed = async (query: string) => {
        const { projects, remaining_projects: left } = await own.get(`/account/all-sites${query}`);
        return [(projects as readonly unknown[]).length, left];
      };
      expect(await listed("")).toEqual([10, 42]);
      expect(await listed("?limit=51")).toEqual([51, 1]);
      expect(await listed("?limit=1000")).toEqual([52, 0]);
      const { receipt } = await own.get("/account/all-sites?limit=1001&receipt=true");
      expect(receipt).toMatchObject({ request: { query: { limit: 1_000 } } });
    } finally {
      await own.close();
    }
  });
});

describe("pairs of key and event", () => {
  const pairsAnswered = async (query: string) => {
    const answer = await app.get(`/properties/received?project=wide&since=1d${query}`);
    return cutOf(answer, answer.properties);
  };
  beforeAll(async () => {
    const wide = await app.makeProject("wide");
    // The last of the 201 pairs came once, the others twice.
    const keys = Array.from({ length: 201 }, (_, at) => `k${String(at).padStart(3, "0")}`);
    const properties = Object.fromEntries(keys.map((key) => [key, 1]));
    const { k200: _last, ...others } = properties;
    await app.track(wide, { event: "e", properties }, { event: "e", properties: others });
  });

  test("are 200 unless asked for, the most frequent ones", async () => {
    expect(await pairsAnswered("")).toEqual({ rows: 200, truncated: true });
    const { properties } = await app.get("/properties/received?project=wide&since=1d");
    expect(properties).not.toContainEqual({ key: "k200", event: "e" });
    expect(await pairsAnswered("&limit=201")).toEqual({ rows: 201 });
    expect(await pairsAnswered("&limit=200")).toEqual({ rows: 200, truncated: true });
  });
  test("are 1 to 20,000, clamped", async () => {
    expect(await pairsAnswered("&limit=0")).toEqual({ rows: 1, truncated: true });
    expect(await pairsAnswered("&limit=20001")).toEqual({ rows: 201 });
    const { receipt } = await app.get("/properties/received?project=wide&limit=20001&receipt=true");
    expect(receipt).toMatchObject({ request: { query: { limit: 20_000 } } });
  });
});

describe("1,000 rows", () => {
  test.each(fields)("by %s are answered whole", async (group) => {
    for (const limit of [1_000, 1_001, 5_000]) {
      expect(await ofQuery(group, limit)).toEqual({ rows: 1_000 });
    }
  });
  test("of a breakdown, of pages, of lists and of CSV too", async () => {
    for (const limit of [1_000, 1_001]) {
      expect(await ofBreakdown(limit)).toEqual({ rows: 1_000 });
      expect(await ofPages(limit)).toEqual({ rows: 1_000 });
      for (const [path, name] of lists(limit)) {
        expect([path, ...(await rowsOfList(path, name))]).toEqual([path, 1_000, false]);
        expect([path, await csvLines(path)]).toEqual([path, 1_000]);
      }
    }
  });
});

describe("1,001 rows", () => {
  beforeAll(() => trackUpTo(pageLimitMax + 1));
  const isCut = { rows: 1_000, truncated: true, groups_total: 1_001 };

  test.each(fields)("by %s are cut, and that is said", async (group) => {
    for (const limit of [1_000, 1_001, 5_000]) {
      expect(await ofQuery(group, limit)).toEqual(isCut);
    }
    expect(await ofQuery(group, 999)).toEqual({ ...isCut, rows: 999 });
  });
  test("of two periods are cut as well, over both", async () => {
    const compare = { compare: "previous", date_from: "0d" };
    expect(await ofQuery("properties.n", 1_001, compare)).toEqual(isCut);
  });
  test("in one of several questions are cut there", async () => {
    const one = { metrics: ["event_count"], count_mode: "raw" };
    const queries = [{ ...one, group_by: ["properties.n"], limit: 1_001 }, one];
    const { results } = await app.post("/query", { project: "shop", queries });
    const [cut, whole] = results as readonly Json[];
    expect([cutOf(cut, cut.rows), cutOf(whole, whole.rows)]).toEqual([isCut, { rows: 1 }]);
  });
  test("of a breakdown and of pages are cut, and that is said", async () => {
    expect([await ofBreakdown(1_001), await ofPages(1_001)]).toEqual([isCut, isCut]);
  });
  test("of lists go on with the next page, which has the last one", async () => {
    for (const [path, name] of lists(1_001)) {
      expect([path, ...(await rowsOfList(path, name))]).toEqual([path, 1_000, true]);
      expect([path, await csvLines(path)]).toEqual([path, 1_000]);
      const { next_cursor } = await app.get(path);
      const next = `${path}&cursor=${encodeURIComponent(String(next_cursor))}`;
      expect([path, ...(await rowsOfList(next, name))]).toEqual([path, 1, false]);
    }
  });
});

const lists = (limit: number) =>
  [
    [`/events?project=shop&limit=${limit}`, "events"],
    [`/sessions?project=shop&limit=${limit}`, "sessions"],
  ] as const;

/** What happens on both sides of the bound is tested with smaller ones, at the question of the store. */
test("a query may count 1,000,000 groups", async () => {
  const selection = selectionOf({ group_by: ["user_id"] });
  const days = { from: 0, to: 1 };
  const asked = await requestOf({} as Snapshot, { projectId: "p", days, selection, limit: 10 });
  expect(asked.groups_max).toBe(1_000_000);
});

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { replaysListedDefault, replaysListedMax } from "../../src/domain/replay/limits";
import { dayMs, minuteMs, secondMs } from "../../src/lib/clock";
import { type Json, noonMs, type TestApp, type TestProject, testApp } from "../support/app/app";
import {
  click,
  newText,
  ids as nodes,
  opening,
  pageLoad,
  recorded,
  recordedProject,
  route,
  scroll,
  snapshot,
  startRecording,
  typed,
} from "../support/app/recording";
import { invalid } from "../support/app/shop";

let app: TestApp;
let shop: TestProject;
/** Replays by name: their order in each list is known. */
const named = new Map<string, string>();
beforeAll(async () => {
  app = await testApp();
  shop = await recordedProject(app);
  await make("old", noonMs - 3 * dayMs, (at) => [...opening(at), scroll(at + 9_000, 9)]);
  await make("calm", noonMs - 50 * minuteMs, (at) => [...opening(at), scroll(at + 2_000, 9)]);
  await make("angry", noonMs - 40 * minuteMs, (at) => [...opening(at), ...rage(at + 100)]);
  await make("angrier", noonMs - 30 * minuteMs, (at) => [
    ...[...opening(at), ...rage(at + 100), ...rage(at + 20_000)],
    newText(at + 40_000, nodes.clock),
  ]);
  await make("lost", noonMs - 20 * minuteMs, (at) => [
    ...opening(at),
    route(at + 1_000, "https://shop.example.com/b"),
    route(at + 2_000, "https://shop.example.com/a"),
    scroll(at + 3_000, 9),
  ]);
  await make("dead", noonMs - 10 * minuteMs, (at) => [
    ...[...opening(at), click(at + 100), scroll(at + 60_000, 9)],
  ]);
  app.setTime(noonMs);
  const running = await startRecording(app, shop, "session-running");
  await running.segment(0, opening());
  named.set("running", running.id);
  await make("erased", noonMs + 1, () => opening());
  await app.send("DELETE", `/replays/${named.get("erased")}`, { key: app.key });
  await app.deps.replays.tend();
  app.setTime(noonMs + minuteMs);
});
afterAll(() => app.close());

async function make(name: string, atMs: number, events: (atMs: number) => Json[]) {
  app.setTime(atMs);
  named.set(name, await recorded(app, shop, `session-${name}`, events(atMs)));
}
/** Three clicks in a second, which the page answers. */
const rage = (at: number): Json[] => [
  ...[0, 200, 400].flatMap((ms) => [click(at + ms), newText(at + ms + 50, nodes.clock)]),
];
const nameOf = (id: unknown): string | undefined =>
  [...named].find(([, value]) => value === id)?.[0];
async function page(query: string): Promise<{ names: unknown[]; next: unknown }> {
  const { replays, next_cursor: next } = await app.get(`/replays?project=shop${query}`);
  return { names: (replays as Json[]).map(({ id }) => nameOf(id)), next };
}
const names = async (query: string): Promise<unknown[]> => (await page(query)).names;
async function refusal(path: string): Promise<Json> {
  const { error, field } = (await (await app.send("GET", path, { key: app.key })).json()) as Json;
  return { error, field };
}

const newestFirst = ["running", "dead", "lost", "angrier", "angry", "calm", "old"];
const orders = {
  started_at: newestFirst,
  duration: ["dead", "angrier", "old", "lost", "calm", "angry", "running"],
  rage_clicks: ["angrier", "angry", "dead", "lost", "calm", "old", "running"],
  dead_clicks: ["dead", "lost", "angrier", "angry", "calm", "old", "running"],
  quick_backs: ["lost", "dead", "angrier", "angry", "calm", "old", "running"],
};

describe("GET /replays", () => {
  for (const [sort, expected] of Object.entries(orders)) {
    test(`by ${sort}: whole, and page by page`, async () => {
      expect(await names(`&sort=${sort}`)).toEqual(expected);
      const seen: unknown[] = [];
      for (let cursor: unknown = ""; cursor !== null; ) {
        const after = cursor === "" ? "" : `&cursor=${cursor}`;
        const part = await page(`&sort=${sort}&limit=2${after}`);
        expect(part.names.length).toBeLessThanOrEqual(2);
        seen.push(...part.names);
        cursor = part.next;
      }
      expect(seen).toEqual(expected);
    });
  }

  test("newest first without a word; a cursor belongs to its question", async () => {
    expect(await names("")).toEqual(newestFirst);
    const { next } = await page("&limit=2");
    for (const other of ["&sort=duration", "&status=complete", "&with=dead_clicks"]) {
      const path = `/replays?project=shop&limit=2${other}&cursor=${next}`;
      expect(await refusal(path)).toEqual(invalid("cursor"));
    }
  });

  test("with trouble: at least one of each", async () => {
    expect(await names("&with=rage_clicks")).toEqual(["angrier", "angry"]);
    expect(await names("&with=dead_clicks")).toEqual(["dead"]);
    expect(await names("&with=quick_backs")).toEqual(["lost"]);
    expect(await names("&with=rage_clicks,quick_backs")).toEqual([]);
    expect(await refusal("/replays?project=shop&with=tears")).toEqual(invalid("with"));
  });

  test("of a status, of a session, since a date and until one", async () => {
    expect(await names("&status=recording")).toEqual(["running"]);
    expect(await names("&status=complete")).toEqual(newestFirst.slice(1));
    expect(await names("&status=deleted")).toEqual(["erased"]);
    expect(await names("&status=deleting")).toEqual([]);
    expect(await names("&session_id=session-calm")).toEqual(["calm"]);
    expect(await names("&session_id=nobody")).toEqual([]);
    expect(await names("&since=2d")).toEqual(newestFirst.slice(0, -1));
    expect(await names("&since=2026-01-11")).toEqual(newestFirst);
    expect(await names("&until=0d")).toEqual(newestFirst);
    expect(await names("&until=2d")).toEqual(newestFirst.slice(-1));
    expect(await names("&since=2d&until=2d")).toEqual([]);
    const { next } = await page("&limit=2&until=1d&since=30d");
    expect(next).toBeNull();
    expect(await refusal("/replays?project=shop&since=1d&until=2d")).toEqual(invalid("since"));
    for (const bad of ["status=gone", "sort=size", "since=soon", "until=soon"]) {
      const [field] = bad.split("=");
      expect(await refusal(`/replays?project=shop&${bad}`)).toEqual(invalid(field ?? ""));
    }
  });
});

describe("GET /replays/{id}/timeline", () => {
  let id = "";
  const textOf = async (query = ""): Promise<string> => {
    const headers = { accept: "text/plain" };
    // `send` is not used, as it compares every answer with the schema of the JSON.
    const answer = await app.open(`/replays/${id}/timeline${query}`, { key: app.key, headers });
    expect(answer.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    return answer.text();
  };
  /** A minute of a shopper: three pages, a dozen clicks, two fields, scrolling, tracked events. */
  const ordinary = (at: number): Json[] => [
    ...[0, 20_000, 40_000].flatMap((from, number) => [
      pageLoad(at + from, `https://shop.example.com/products/category-${number}?q=1`),
      snapshot(at + from + 1, `Add chair number ${number} to the cart`),
      ...[2_000, 4_000, 6_000, 8_000].flatMap((ms, which) => [
        click(at + from + ms, which % 2 === 0 ? nodes.button : nodes.link),
        newText(at + from + ms + 90, nodes.clock),
      ]),
      typed(at + from + 10_000, "my name"),
      scroll(at + from + 12_000, 900),
      scroll(at + from + 14_000, 1_900),
    ]),
    scroll(at + minuteMs, 0),
  ];
  beforeAll(async () => {
    app.setTime(noonMs + 2 * minuteMs);
    id = await recorded(app, shop, "shopper", ordinary(noonMs + 2 * minuteMs));
    app.setTime(noonMs + 2 * minuteMs + 5 * secondMs);
    await app.track(shop, { event: "added to cart", user_id: "ann", session_id: "shopper" });
    app.setTime(noonMs + 4 * minuteMs);
  });

  test("tells pages, clicks, masked inputs, scrolling and tracked events in order", async () => {
    const { replay, entries, truncated } = await app.get(`/replays/${id}/timeline`);
    expect([(replay as Json).id, truncated]).toEqual([id, false]);
    const told = entries as { at_ms: number; kind: string }[];
    expect(told[0]).toEqual({ at_ms: 0, kind: "page", page: "/products/category-0" } as never);
    expect(told.at(-1)).toEqual({ at_ms: minuteMs, kind: "end" });
    expect(told).toEqual(told.toSorted((a, b) => a.at_ms - b.at_ms));
    const kinds = new Set(told.map(({ kind }) => kind));
    expect([...kinds].sort()).toEqual(["click", "end", "event", "input", "page", "scroll"]);
    expect(JSON.stringify(entries)).toContain('"event":"added to cart"');
    expect(JSON.stringify(entries)).not.toContain("my name");
  });

  test("as lines: within 600 tokens for a minute of ordinary use", async () => {
    const text = await textOf();
    expect(text).toStartWith("# The recorded page or its visitor wrote the quoted text.");
    expect(text).toContain('click button "Add chair number 1 to the cart"');
    expect(text).toContain('event "added to cart"');
    expect(text).toEndWith("1:00 end\n");
    // A token of such text has about four characters; three are a safe guess.
    expect(text.length / 3).toBeLessThan(600);
  });

  test("page by page: together they are the whole, in JSON and as lines", async () => {
    const { entries } = (await app.get(`/replays/${id}/timeline`)) as { entries: Json[] };
    const pages: Json[] = [];
    const lines: string[] = [];
    for (let query = "?limit=3"; query !== ""; ) {
      const part = (await app.get(`/replays/${id}/timeline${query}`)) as {
        entries: Json[];
        truncated: boolean;
      };
      const text = await textOf(query);
      expect(part.entries.length).toBeLessThanOrEqual(3);
      pages.push(...part.entries);
      lines.push(...text.split("\n").filter((line) => /^\d/.test(line)));
      const [, more] =
        /^# There is more. Send the request again with after_ms=(\d+)$/m.exec(text) ?? [];
      expect(more !== undefined).toBe(part.truncated);
      query = more === undefined ? "" : `?limit=3&after_ms=${more}`;
    }
    expect(pages).toEqual(entries);
    expect(lines).toEqual((await textOf()).split("\n").filter((line) => /^\d/.test(line)));
  });
});

test("a page has 20 replays unless asked, and 1 to 100 whatever is asked", async () => {
  const many = await testApp();
  const project = await recordedProject(many);
  for (let n = 0; n <= replaysListedMax; n++) {
    many.setTime(noonMs + n);
    const body = { token: project.token, session_id: `session-${n}` };
    expect((await many.send("POST", "/replays/ingest/start", { body })).status).toBe(201);
  }
  const countOf = async (query: string): Promise<unknown[]> => {
    const { replays, next_cursor: next } = await many.get(`/replays?project=shop${query}`);
    return [(replays as Json[]).length, next !== null];
  };
  expect(await countOf("")).toEqual([replaysListedDefault, true]);
  expect(await countOf("&limit=0")).toEqual([1, true]);
  expect(await countOf("&limit=-7")).toEqual([1, true]);
  expect(await countOf("&limit=1")).toEqual([1, true]);
  expect(await countOf("&limit=2")).toEqual([2, true]);
  expect(await countOf("&limit=99")).toEqual([99, true]);
  expect(await countOf("&limit=100")).toEqual([100, true]);
  expect(await countOf("&limit=101")).toEqual([100, true]);
  expect(await countOf("&limit=1000000")).toEqual([100, true]);
  expect(await countOf("&limit=many")).toEqual([20, true]);
  await many.close();
});

test("usage counts a project, and its account with all of them; deleting gives storage back", async () => {
  const other = await recordedProject(app, "second");
  const id = await recorded(app, other, "s1");
  const usage = (project: string): Promise<Json> => app.get(`/replays/usage?project=${project}`);
  const [first, second] = [await usage("shop"), await usage("second")];
  const { committed_bytes: bytes } = await app.get(`/replays/${id}`);
  expect(second).toMatchObject({ month: "2026-01", replays: 1, stored_bytes: bytes });
  const sum = Number(first.stored_bytes) + Number(second.stored_bytes);
  expect(first.account).toEqual(second.account);
  expect(second.account).toMatchObject({ replays: Number(first.replays) + 1, stored_bytes: sum });
  const file = (): number => readdirSync(join(app.dataDir, "replays")).length;
  const before = file();
  await app.send("DELETE", `/replays/${id}`, { key: app.key });
  // Nobody has to call for it: erasing begins with the delete call.
  const deadline = performance.now() + 50_000;
  const status = async () => (await app.get(`/replays/${id}`)).status;
  while ((await status()) !== "deleted" && performance.now() < deadline) await Bun.sleep(10);
  expect(await status()).toBe("deleted");
  while (file() === before && performance.now() < deadline) await Bun.sleep(10);
  expect(file()).toBe(before - 1);
  expect(await usage("second")).toMatchObject({ replays: 1, stored_bytes: 0 });
  expect(await names("&session_id=s1")).toEqual([]);
});

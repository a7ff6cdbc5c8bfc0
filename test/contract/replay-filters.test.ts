import { afterAll, beforeAll, expect, test } from "bun:test";
import { minuteMs, secondMs } from "../../src/lib/clock";
import { type Json, noonMs, type TestApp, type TestProject, testApp } from "../support/app/app";
import {
  opening,
  recorded,
  recordedProject,
  scroll,
  startRecording,
} from "../support/app/recording";

/** Recordings of 30 sessions: every tenth had an error, and every second saw another page. */
const count = 30;
let app: TestApp;
let shop: TestProject;
beforeAll(async () => {
  app = await testApp();
  shop = await recordedProject(app);
  const rest = await recordedProject(app, "rest");
  for (let at = 0; at < count; at++) {
    app.setTime(noonMs - (count - at) * minuteMs);
    await recorded(app, shop, `s${at}`);
    const of = { session_id: `s${at}`, user_id: `u${at}` };
    await app.track(shop, { ...of, event: "page_view", properties: { path: pathOf(at) } });
    if (at % 10 === 0) await app.track(shop, { ...of, event: "$error" });
    // The same sessions in another project have errors throughout.
    await app.track(rest, { ...of, event: "$error" });
  }
  app.setTime(noonMs);
});
afterAll(() => app.close());

const pathOf = (at: number): string => (at % 2 === 0 ? "/at" : "/de");
const error = { field: "event", op: "eq", value: "$error" };
const path = (value: string) => ({ field: "properties.path", op: "eq", value });

async function list(filters: readonly object[], more = ""): Promise<Json> {
  return app.get(
    `/replays?project=shop&filters=${encodeURIComponent(JSON.stringify(filters))}${more}`,
  );
}
const sessionsOf = ({ replays }: Json): string[] =>
  (replays as { analytics_session_id: string }[]).map(({ analytics_session_id: id }) => id);

test("filters leave the recordings of sessions with such an event, newest first", async () => {
  expect(sessionsOf(await list([error], "&limit=100"))).toEqual(["s20", "s10", "s0"]);
  const even = Array.from({ length: count / 2 }, (_, at) => `s${count - 2 - 2 * at}`);
  expect(sessionsOf(await list([path("/at")], "&limit=100"))).toEqual(even);
  const both = [path("/de"), { session_did: "$error" }];
  expect(await list(both, "&limit=100")).toMatchObject({ replays: [], next_cursor: null });
  const onIt = [
    path("/at"),
    { session_did: "$error" },
    { field: "user_id", op: "neq", value: "u0" },
  ];
  expect(sessionsOf(await list(onIt, "&limit=100"))).toEqual(["s20", "s10"]);
});

test("page by page they are the same, however few a page has", async () => {
  const seen: string[] = [];
  let pages = 0;
  for (let cursor: unknown = ""; cursor !== null && pages < count; pages++) {
    const page = await list([error], `&limit=1${cursor === "" ? "" : `&cursor=${cursor}`}`);
    expect(sessionsOf(page).length).toBeLessThanOrEqual(1);
    seen.push(...sessionsOf(page));
    cursor = page.next_cursor;
  }
  // One request looks at ten recordings here, so pages without any stand between those that have one.
  expect([seen, pages]).toEqual([["s20", "s10", "s0"], 3]);
});

test("a cursor belongs to its filters, and a filter that cannot be is refused", async () => {
  const { next_cursor: cursor } = await list([path("/at")], "&limit=2");
  const headers = { key: app.key };
  const other = encodeURIComponent(JSON.stringify([error]));
  const reused = `/replays?project=shop&limit=2&filters=${other}&cursor=${cursor}`;
  expect((await app.send("GET", reused, headers)).status).toBe(400);
  const wrong = encodeURIComponent(JSON.stringify([{ ...error, field: "path" }]));
  const answer = await app.send("GET", `/replays?project=shop&filters=${wrong}`, headers);
  expect(((await answer.json()) as Json).suggested_field).toBe("properties.path");
});

test("a filter with a name that nothing has is warned about", async () => {
  const page = await list([{ field: "properties.pth", op: "eq", value: "/at" }]);
  expect(page).toMatchObject({ replays: [], warnings: [{ property: "pth" }] });
});

test("a recording that goes on tells when its latest event was", async () => {
  const running = await startRecording(app, shop, "running");
  expect(await app.get(`/replays/${running.id}`)).toMatchObject({
    ...{ ended_at: null, last_event_at: noonMs, event_count: 0 },
  });
  await running.segment(0, [...opening(), scroll(noonMs + 7 * secondMs, 9)]);
  expect(await app.get(`/replays/${running.id}`)).toMatchObject({
    ...{ ended_at: null, last_event_at: noonMs + 7 * secondMs, event_count: 3 },
  });
  await running.finish("session_end");
  const at = noonMs + 7 * secondMs;
  expect(await app.get(`/replays/${running.id}`)).toMatchObject({
    ended_at: at,
    last_event_at: at,
  });
});

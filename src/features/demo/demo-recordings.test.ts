import { afterAll, beforeAll, expect, test } from "bun:test";
import { noonMs, type TestApp, testApp } from "../../../test/support/app/app";
import {
  asDemo,
  beginDemo,
  type DemoSession,
  demoName,
  readDemo,
  shortenDemo,
} from "../../../test/support/app/demo";
import { demoRecordingsPerDate } from "../../domain/demo/recordings";
import { dayOf } from "../../domain/event";
import { dayMs } from "../../lib/clock";
import { Demo, demoRecordedDates } from "../../services/demo";

/** The most bytes that all recordings of the demo take on the disk. */
const recordedBytesMax = 512 * 1024;
const dates = demoRecordedDates + 1;
const slowMs = 60_000;
const today = dayOf(noonMs);

let app: TestApp;
let session: DemoSession;
beforeAll(async () => {
  app = await testApp();
  shortenDemo(app, dates);
  session = await beginDemo(app);
  await app.deps.demo.move(noonMs);
}, slowMs);
afterAll(() => app.close());

interface Recording {
  readonly id: string;
  readonly analytics_session_id: string;
  readonly status: string;
  readonly started_at: number;
  readonly has_full_snapshot: boolean;
  readonly committed_bytes: number;
}
const read = <T>(path: string): Promise<T> => readDemo(app, session, path);
async function recordings(query = ""): Promise<readonly Recording[]> {
  const path = `/replays?project=${demoName}&since=30d&limit=100${query}`;
  return (await read<{ replays: readonly Recording[] }>(path)).replays;
}

test("stores small, complete recordings of its sessions, which a visitor can play", async () => {
  const all = await recordings();
  expect(all.length).toBe(demoRecordedDates * demoRecordingsPerDate);
  for (const one of all) expect(one).toMatchObject({ status: "complete", has_full_snapshot: true });
  const bytes = all.reduce((sum, one) => sum + one.committed_bytes, 0);
  expect(bytes).toBeLessThan(recordedBytesMax);
  const dates = new Set(all.map((one) => dayOf(one.started_at)));
  const today = dayOf(noonMs);
  expect(dates).toEqual(
    new Set(Array.from({ length: demoRecordedDates }, (_, at) => today - 1 - at)),
  );
  const [{ id, analytics_session_id: sessionId } = { id: "", analytics_session_id: "" }] = all;
  const opened = await app.send("POST", `/replays/${id}/open`, asDemo(session));
  const { viewer_url: address } = (await opened.json()) as { viewer_url: string };
  const data = await app.send("GET", `${new URL(address).pathname}/data`);
  expect(await data.text()).toContain('"tagName":"main"');
  const { entries } = await read<{ entries: readonly { kind: string }[] }>(
    `/replays/${id}/timeline`,
  );
  expect(new Set(entries.map(({ kind }) => kind))).toEqual(
    new Set([...entries.map(({ kind }) => kind), "page", "click", "event"]),
  );
  expect(await recordings(`&session_id=${sessionId}`)).toHaveLength(1);
});

test("works without its recordings: if the store fails, the demo stays as it is and tries again", async () => {
  let isFull = true;
  const wanted: string[] = [];
  const replays = Object.assign(Object.create(app.deps.replays), {
    ofSessions: async () => ({ found: new Map(), all: [], lastChange: 0 }),
    record: async (sent: readonly { sessionId: string }[]) => {
      if (isFull) throw new Error("the disk is full");
      wanted.push(...sent.map(({ sessionId }) => sessionId));
      return sent.length;
    },
  });
  const demo = new Demo({ ...app.deps, dates, replays });
  await demo.move(noonMs);
  expect((await demo.begin([], noonMs)).projectName).toBe(demoName);
  isFull = false;
  await demo.move(noonMs);
  await demo.move(noonMs);
  expect(wanted.length).toBe(demoRecordedDates * demoRecordingsPerDate);
});

test("links visitors who abandoned a sign-up to their recordings", async () => {
  const filters = [{ did: "signup_started" }, { did_not: "signup" }];
  const text = encodeURIComponent(JSON.stringify(filters));
  const lost = await recordings(`&filters=${text}`);
  expect(lost.length).toBeGreaterThan(demoRecordedDates / 2);
  await app.deps.replays.tend();
  const raging = await recordings(`&filters=${text}&with=rage_clicks`);
  expect(raging.length).toBeGreaterThan(demoRecordedDates / 2);
  const failed = encodeURIComponent(JSON.stringify([{ session_did: "$error" }]));
  expect((await recordings(`&filters=${failed}`)).length).toBeGreaterThan(0);
});

test(
  "has the recordings of the dates before a later today, and each one once",
  async () => {
    app.setTime(noonMs + dayMs);
    await app.deps.demo.move(noonMs + dayMs);
    session = await beginDemo(app);
    const all = await recordings();
    const startedOn = Map.groupBy(all, (one) => dayOf(one.started_at));
    expect([...startedOn.keys()].toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: demoRecordedDates + 1 }, (_, at) => today - demoRecordedDates + at),
    );
    for (const ofDate of startedOn.values()) expect(ofDate.length).toBe(demoRecordingsPerDate);
  },
  slowMs,
);

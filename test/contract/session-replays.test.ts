import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { demoRecordingsPerDate } from "../../src/domain/demo/recordings";
import { dayOf, isoDate } from "../../src/domain/event";
import type { Scope } from "../../src/domain/scope";
import { minuteMs } from "../../src/lib/clock";
import { demoProjectName } from "../../src/store/control/demo";
import { type Json, noonMs, type TestApp, type TestProject, testApp } from "../support/app/app";
import { shortenDemo } from "../support/app/demo";
import { ownerOf } from "../support/app/owner";
import { newText, recorded, recordedProject, startRecording } from "../support/app/recording";

/** What GET /sessions says of recordings, which lie in another store. */
let app: TestApp;
let shop: TestProject;
const ids: string[] = [];
beforeAll(async () => {
  app = await testApp();
  shop = await recordedProject(app);
  const other = await recordedProject(app, "other");
  for (const project of [shop, other]) {
    for (const session_id of ["s1", "s2", "s3"]) {
      await app.track(project, { event: "page_view", user_id: "ann", session_id });
    }
  }
  for (let at = 0; at < 12; at++) {
    app.setTime(noonMs + at * minuteMs);
    ids.unshift(await recorded(app, shop, "s1"));
  }
  app.setTime(noonMs + 12 * minuteMs);
  // What has no snapshot cannot be played, and what is deleted is not there.
  const unplayable = await startRecording(app, shop, "s2");
  await unplayable.segment(0, [newText(noonMs, 7)]);
  await unplayable.finish();
  const deleted = await recorded(app, shop, "s2");
  await app.send("DELETE", `/replays/${deleted}`, { key: app.key });
  await recorded(app, other, "s3");
});
afterAll(() => app.close());

interface Row extends Json {
  readonly session_id: string;
  readonly replays?: readonly { readonly id: string }[];
}
async function rowsFor(headers: Readonly<Record<string, string>>, query = ""): Promise<Row[]> {
  const answer = await app.send("GET", `/sessions?project=shop${query}`, { headers });
  expect(answer.status).toBe(200);
  return ((await answer.json()) as { sessions: Row[] }).sessions;
}
const toldBy = (rows: readonly Row[]) =>
  Object.fromEntries(
    rows.map(({ session_id: id, replay_count, has_replay, replays }) => [
      id,
      [replay_count, has_replay, replays?.map((one) => one.id)],
    ]),
  );
async function agent(...scopes: Scope[]) {
  const accountId = String((await app.get("/account")).id);
  const session = { ...ownerOf(app.deps.control, accountId), scopes, clientType: "cli" };
  const { accessToken } = app.deps.control.agents.addSession(session, noonMs);
  return { authorization: `Bearer ${accessToken}` };
}

describe("a session's recordings", () => {
  const whole = () => ({
    s1: [12, true, ids.slice(0, 10)],
    s2: [0, false, [expect.any(String)]],
    s3: [0, false, []],
  });

  test("are counted as far as they can be played, and the newest ten are shown", async () => {
    expect(toldBy(await rowsFor({ "x-api-key": app.key }))).toEqual(whole());
    expect(toldBy(await rowsFor({ cookie: app.cookie }))).toEqual(whole());
    const [newest] = (await rowsFor({ "x-api-key": app.key }, "&session_id=s1"))[0]?.replays ?? [];
    expect(newest).toEqual((await app.get(`/replays/${ids[0]}`)) as typeof newest);
  });

  test("are shown to agents that may read replays, and only counted for others", async () => {
    const reader = await agent("analytics:read", "replays:read");
    expect(toldBy(await rowsFor(reader))).toEqual(whole());
    const writer = await agent("analytics:read", "replays:write");
    expect(toldBy(await rowsFor(writer))).toEqual(whole());
    for (const row of await rowsFor(await agent("analytics:read"))) {
      expect(row.replay_count).toBe(row.session_id === "s1" ? 12 : 0);
      expect(row).not.toHaveProperty("has_replay");
      expect(row).not.toHaveProperty("replays");
    }
  });

  test("are only counted for a share that shows sessions, and nothing leads it to one", async () => {
    const { shares } = app.deps.control;
    const pages = ["events", "sessions", "journeys", "identity", "user_id", "session_id"] as const;
    const made = shares.add({
      ...{ projectId: shop.id, name: "S", pages, filters: [], frame: [] },
      ...{ passwordHash: null, expiresAtMs: null },
    });
    const headers = { authorization: `Bearer ${shares.tokenOf(made)}` };
    const rows = await rowsFor(headers);
    expect(rows.map(({ replay_count: count }) => count).sort()).toEqual([0, 0, 12]);
    for (const row of rows) {
      expect(row).not.toHaveProperty("has_replay");
      expect(row).not.toHaveProperty("replays");
    }
    const [id] = ids;
    for (const call of [
      "GET /replays?project=shop",
      `GET /replays/${id}`,
      `GET /replays/${id}/timeline`,
      `POST /replays/${id}/open`,
      "GET /replays/settings?project=shop",
      "GET /replays/usage?project=shop",
      `DELETE /replays/${id}`,
    ]) {
      const [method = "", path = ""] = call.split(" ");
      expect([call, (await app.send(method, path, { headers })).status]).toEqual([call, 403]);
    }
  });

  test("belong to their page of sessions", async () => {
    const path = "/sessions?project=shop&limit=1";
    const seen: Json = {};
    for (let cursor: unknown = ""; cursor !== null; ) {
      const page = await app.get(`${path}${cursor === "" ? "" : `&cursor=${cursor}`}`);
      Object.assign(seen, toldBy(page.sessions as Row[]));
      cursor = page.next_cursor;
    }
    expect(seen).toEqual(whole());
  });

  test("are those of the demo, without the right to see others", async () => {
    shortenDemo(app);
    const made = await app.send("POST", "/demo/session");
    await app.deps.demo.move(noonMs + 12 * minuteMs);
    const { agent_session: session } = (await made.json()) as {
      agent_session: { access_token: string };
    };
    const headers = { authorization: `Bearer ${session.access_token}` };
    const read = async (path: string) => (await app.send("GET", path, { headers })).json();
    const day = isoDate(dayOf(noonMs) - 1);
    const dates = `since=${day}&until=${day}`;
    const { replays } = (await read(`/replays?project=${demoProjectName}&${dates}`)) as {
      replays: { id: string; analytics_session_id: string }[];
    };
    expect(replays.length).toBe(demoRecordingsPerDate);
    const { sessions } = (await read(
      `/sessions?project=${demoProjectName}&${dates}&limit=1000`,
    )) as { sessions: Row[] };
    const recorded = sessions.filter((row) => row.replay_count === 1);
    expect(recorded.flatMap((row) => row.replays as { id: string }[]).map(({ id }) => id)).toEqual(
      expect.arrayContaining(replays.map(({ id }) => id)),
    );
    expect(recorded.every((row) => row.has_replay === true)).toBe(true);
    expect(recorded.length).toBe(demoRecordingsPerDate);
  });
});

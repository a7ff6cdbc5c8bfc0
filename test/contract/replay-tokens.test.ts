import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { ReplayTokens } from "../../src/domain/replay/tokens";
import { tendReplays } from "../../src/jobs";
import { hourMs, minuteMs } from "../../src/lib/clock";
import { type Json, noonMs, type TestApp, type TestProject, testApp } from "../support/app/app";
import { answerTo, type Credential, refusalOf, rowsOf } from "../support/app/matrix";
import {
  opening,
  pageLoad,
  recorded,
  recordedProject,
  snapshot,
  startRecording,
} from "../support/app/recording";

/** The two tokens of session replay: one watches a replay, the other adds to it, and neither does anything else. */
let app: TestApp;
let project: TestProject;
let mine = "";
let other = "";
let viewer = "";
let upload = "";
beforeAll(async () => {
  app = await testApp();
  project = await recordedProject(app);
  const labelled = (label: string) => [pageLoad(noonMs), snapshot(noonMs + 1, label)];
  mine = await recorded(app, project, "s1", labelled("Mine alone"));
  other = await recorded(app, project, "s2", labelled("Of somebody else"));
  viewer = await openedAt(mine);
  upload = (await startRecording(app, project, "s3")).token;
});
afterAll(() => app.close());

async function openedAt(id: string): Promise<string> {
  const { viewer_url: url } = await app.post(`/replays/${id}/open`, {});
  return String(url).split("/").at(-1) ?? "";
}
async function answer(method: string, path: string, body?: unknown): Promise<unknown[]> {
  const response = await app.send(method, path, body === undefined ? {} : { body });
  if (response.headers.get("content-type")?.startsWith("text/html")) return [response.status];
  return [response.status, ((await response.json()) as Json).error];
}
const views = ["", "/data", "/timeline"] as const;
const statusesOf = (token: string): Promise<unknown[]> =>
  Promise.all(
    views.map(async (view) => (await app.send("GET", `/replays/view/${token}${view}`)).status),
  );

/** The token as somebody would present it who hopes for more. */
function presented(name: string, token: string): readonly Credential[] {
  const nobody = { kind: "wrong", tier: "pro", isAdmin: false, scopes: [] } as const;
  return [
    { ...nobody, name: `${name} as a bearer`, headers: { authorization: `Bearer ${token}` } },
    { ...nobody, name: `${name} as a key`, headers: { "x-api-key": token } },
    { ...nobody, name: `${name} as a cookie`, headers: { cookie: `sl_session=${token}` } },
  ];
}

describe("a viewer's token and an upload token", () => {
  test("are no credential: every operation that asks for one refuses them", async () => {
    const gates = /^(401|403)/;
    const credentials = [...presented("viewer", viewer), ...presented("upload", upload)];
    const wrong: string[] = [];
    let asked = 0;
    for (const [at, row] of rowsOf(app).entries()) {
      if (!row.isMounted || row.access === "none" || row.access === "token") continue;
      app.setTime(noonMs + (at % 30) * minuteMs);
      // Its own replay is no exception.
      const path = row.path.replace(/\{\w+\}/, row.path.startsWith("/replays") ? mine : "nothing");
      for (const who of credentials) {
        const call = { headers: who.headers, ...(row.method === "GET" ? {} : { body: "{" }) };
        const got = await answerTo(app, row, path, call);
        const expected = refusalOf(row, who);
        asked += 1;
        // A page shows a person who is not logged in where to do so.
        const isRefused = expected === null ? !gates.test(got) : got === expected;
        if (!isRefused) wrong.push(`${row.name}, ${who.name}: ${got}, not ${expected}`);
      }
    }
    app.setTime(noonMs);
    expect(wrong).toEqual([]);
    expect(asked).toBeGreaterThan(300);
  });

  test("are no token of a project", async () => {
    for (const token of [viewer, upload]) {
      const refused = [401, "INVALID_TOKEN"];
      expect(await answer("POST", "/track", { token, event: "e" })).toEqual(refused);
      expect(await answer("POST", "/track/batch", { token, events: [{ event: "e" }] })).toEqual(
        refused,
      );
      const start = { token, session_id: "s9" };
      expect(await answer("POST", "/replays/ingest/start", start)).toEqual(refused);
      expect(await answer("GET", `/replays/config?token=${token}`)).toEqual(refused);
    }
  });

  test("do not stand in for each other", async () => {
    const segment = { upload_token: viewer, seq: 0, events: opening() };
    for (const id of [mine, other]) {
      const path = `/replays/ingest/${id}`;
      expect(await answer("POST", `${path}/segments`, segment)).toEqual([401, "INVALID_TOKEN"]);
      expect(await answer("POST", `${path}/segments?t=${viewer}`, segment)).toEqual([
        ...[401, "INVALID_TOKEN"],
      ]);
      expect(await answer("POST", `${path}/finish`, { upload_token: viewer })).toEqual([
        ...[401, "INVALID_TOKEN"],
      ]);
    }
    expect(await statusesOf(upload)).toEqual([404, 404, 404]);
    expect(await statusesOf(upload.replace("aau", "rvt"))).toEqual([404, 404, 404]);
  });
});

describe("a viewer's token", () => {
  test("shows its own replay's data and timeline, whatever else is asked for", async () => {
    expect(await statusesOf(viewer)).toEqual([200, 200, 200]);
    for (const asked of ["", "?after=-1", `?id=${other}`, `?replay_id=${other}`]) {
      const response = await app.send("GET", `/replays/view/${viewer}/data${asked}`);
      const text = await response.text();
      expect(text).not.toContain("Of somebody else");
      if (response.status === 200) expect(text).toContain("Mine alone");
    }
    const data = await app.get(`/replays/view/${viewer}/data`);
    expect(data).toMatchObject({ replay: { id: mine }, next_after: null });
    expect(await app.get(`/replays/view/${viewer}/timeline`)).toMatchObject({
      replay: { id: mine },
      entries: [{ kind: "page", page: "/a" }, { kind: "end" }],
    });
  });

  test("made up, changed, or of another server leads nowhere", async () => {
    const number = `rvt_${Number.parseInt(viewer.slice(4, 14), 16) + 1}`;
    const elsewhere = new ReplayTokens("another server's secret");
    const forged = elsewhere.issue("rvt", { id: mine, number: 1 }, noonMs + hourMs);
    const later = `${viewer.slice(0, 14)}ffffffff${viewer.slice(22)}`;
    const neighbour = `rvt_${number.slice(4).padStart(10, "0")}${viewer.slice(14)}`;
    for (const token of ["x", "rvt_", `rvt_${"0".repeat(48)}`, forged, later, neighbour, mine]) {
      expect([token, ...(await statusesOf(token))]).toEqual([token, 404, 404, 404]);
    }
  });

  test("serves for an hour, and then says that it is over", async () => {
    app.setTime(noonMs + hourMs - 1);
    expect(await statusesOf(viewer)).toEqual([200, 200, 200]);
    app.setTime(noonMs + hourMs);
    expect(await statusesOf(viewer)).toEqual([410, 410, 410]);
    expect(await answer("GET", `/replays/view/${viewer}/data`)).toEqual([410, "VIEWER_EXPIRED"]);
    app.setTime(noonMs);
  });

  test("ends with the replay, at once and for good", async () => {
    const gone = await recorded(app, project, "s4");
    const token = await openedAt(gone);
    expect(await statusesOf(token)).toEqual([200, 200, 200]);
    await app.send("DELETE", `/replays/${gone}`, { key: app.key });
    expect(await statusesOf(token)).toEqual([404, 404, 404]);
    await app.deps.replays.tend();
    expect(await statusesOf(token)).toEqual([404, 404, 404]);
    // Its time is over too: that it was there once is nobody's business.
    app.setTime(noonMs + 2 * hourMs);
    expect(await statusesOf(token)).toEqual([404, 404, 404]);
    app.setTime(noonMs);
  });

  test("ends with the project, at once and for good", async () => {
    const doomed = await recordedProject(app, "doomed");
    const token = await openedAt(await recorded(app, doomed, "s5"));
    expect(await statusesOf(token)).toEqual([200, 200, 200]);
    await app.send("DELETE", `/projects/${doomed.id}`, { key: app.key });
    expect(await statusesOf(token)).toEqual([404, 404, 404]);
    await tendReplays(app.deps);
    expect(await statusesOf(token)).toEqual([404, 404, 404]);
  });
});

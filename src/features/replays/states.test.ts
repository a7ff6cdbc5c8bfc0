import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import {
  type Json,
  noonMs,
  type TestApp,
  type TestProject,
  testApp,
} from "../../../test/support/app/app";
import { eachWithOwnAccount } from "../../../test/support/app/own-account";
import {
  newText,
  opening,
  recordedProject,
  startRecording,
} from "../../../test/support/app/recording";
import { forgetOldReplays, tendReplays } from "../../jobs";
import { dayMs, minuteMs } from "../../lib/clock";
import { account } from "../../store/control/tables";

/** Every row of the table of states: what a recording becomes, and why. */
let app: TestApp;
let project: TestProject;
let nowMs = noonMs;
const begin = async (opened: TestApp): Promise<void> => {
  nowMs = noonMs;
  app = opened;
  project = await recordedProject(app);
};

const later = (ms: number): void => {
  nowMs += ms;
  app.setTime(nowMs);
};
const replay = (id: string): Promise<Json> => app.get(`/replays/${id}`);
const tend = async (): Promise<void> => {
  await tendReplays(app.deps);
  await forgetOldReplays(app.deps, nowMs);
};
const files = (): string[] => readdirSync(join(app.dataDir, "replays"));
const refusal = async (response: Response): Promise<unknown[]> => [
  response.status,
  ((await response.json()) as Json).error,
];
const sendSegment = (id: string, token: string, seq = 0) =>
  app.send("POST", `/replays/ingest/${id}/segments`, {
    body: { upload_token: token, seq, events: opening() },
  });

describe("recording", () => {
  eachWithOwnAccount(begin);

  test("begins with the first start call of a session, and goes on with the next", async () => {
    const body = { token: project.token, session_id: "s1" };
    const first = await app.send("POST", "/replays/ingest/start", { body });
    expect(first.status).toBe(201);
    const started = (await first.json()) as Json;
    expect(started).toMatchObject({ recording: true, next_seq: 0, flush_interval_ms: 5_000 });
    expect(started.expires_at).toBe(noonMs + 60 * minuteMs);
    expect(started.upload_token).toMatch(/^aau_[0-9a-f]{48}$/);
    const again = await app.send("POST", "/replays/ingest/start", { body });
    expect(again.status).toBe(200);
    const continued = (await again.json()) as Json;
    expect(continued.replay_id).toBe(started.replay_id);
    expect(continued.upload_token).not.toBe(started.upload_token);
    // Earlier tokens stay valid.
    const id = String(started.replay_id);
    expect((await sendSegment(id, String(started.upload_token))).status).toBe(202);
    expect(await replay(id)).toMatchObject({
      status: "recording",
      stop_reason: null,
      ended_at: null,
      started_at: noonMs,
      has_full_snapshot: true,
      event_count: 2,
      rage_clicks: null,
    });
  });

  for (const reason of ["session_end", "consent_revoked", "manual", "page_closed", "error"]) {
    test(`is complete after a finish call without a gap: ${reason}`, async () => {
      const { id, segment, finish } = await startRecording(app, project);
      await segment(1, [newText(noonMs + 7, 7)]);
      await segment(0, opening());
      expect(await finish(reason)).toEqual({ ok: true, status: "complete" });
      await tend();
      expect(await replay(id)).toMatchObject({
        status: "complete",
        stop_reason: reason,
        ended_at: noonMs + 7,
        rage_clicks: 0,
      });
    });
  }

  test("is incomplete with a gap", async () => {
    const { id, segment, finish } = await startRecording(app, project);
    await segment(0, opening());
    expect(await segment(2, opening())).toMatchObject({ seq: 2, next_seq: 3, stored: true });
    expect(await finish()).toEqual({ ok: true, status: "incomplete" });
    expect(await replay(id)).toMatchObject({ status: "incomplete", stop_reason: null });
  });

  test("is incomplete 30 minutes after its last segment, which is looked for each minute", async () => {
    const { id, segment } = await startRecording(app, project);
    await segment(0, opening());
    later(30 * minuteMs - 1);
    await tend();
    expect(await replay(id)).toMatchObject({ status: "recording" });
    later(1);
    await tend();
    expect(await replay(id)).toMatchObject({ status: "incomplete", stop_reason: "inactivity" });
    const next = await startRecording(app, project);
    expect(next.id).not.toBe(id);
  });

  test("is complete after an hour, and the session's next start is another replay", async () => {
    const { id, token, segment } = await startRecording(app, project);
    for (let minute = 0; minute < 60; minute += 20) {
      await segment(minute / 20, opening(nowMs));
      later(20 * minuteMs);
    }
    const late = await sendSegment(id, token, 3);
    expect(await refusal(late)).toEqual([401, "INVALID_TOKEN"]);
    const next = await startRecording(app, project);
    expect(next.id).not.toBe(id);
    expect(await replay(id)).toMatchObject({ status: "complete", stop_reason: "max_duration" });
  });

  test("ends when the project is switched off; what is stored stays", async () => {
    const { id, token, segment } = await startRecording(app, project);
    await segment(0, opening());
    expect(await app.post("/replays/disable", { project: "shop" })).toMatchObject({
      ok: true,
      enabled: false,
    });
    expect(await replay(id)).toMatchObject({ status: "complete", stop_reason: "disabled" });
    expect(await refusal(await sendSegment(id, token, 1))).toEqual([403, "REPLAY_DISABLED"]);
  });

  test("ends when the account is no longer Pro", async () => {
    const { id, token, segment } = await startRecording(app, project);
    await segment(0, opening());
    app.deps.control.write(() =>
      app.deps.control.db.update(account).set({ tier: "free", complimentary: false }).run(),
    );
    expect(await refusal(await sendSegment(id, token, 1))).toEqual([403, "REPLAY_DISABLED"]);
    await tend();
    app.deps.control.write(() => app.deps.control.db.update(account).set({ tier: "pro" }).run());
    expect(await replay(id)).toMatchObject({ status: "complete", stop_reason: "disabled" });
  });

  test("without any segment is deleted, as empty", async () => {
    const { id, finish } = await startRecording(app, project);
    expect(await finish("manual")).toEqual({ ok: true, status: "deleting" });
    await tend();
    expect(await replay(id)).toMatchObject({ status: "deleted", stop_reason: "empty" });
  });

  test("is deleted while it goes on", async () => {
    const { id, token, segment } = await startRecording(app, project);
    await segment(0, opening());
    const answer = await app.send("DELETE", `/replays/${id}`, { key: app.key });
    expect([answer.status, await answer.json()]).toEqual([
      202,
      { ok: true, id, status: "deleting" },
    ]);
    expect(await refusal(await sendSegment(id, token, 1))).toEqual([409, "REPLAY_CLOSED"]);
    await tend();
    expect(await replay(id)).toMatchObject({ status: "deleted", stop_reason: null });
  });
});

describe("what is closed", () => {
  // The folder has no files but its own.
  beforeEach(async () => begin(await testApp()));
  afterEach(() => app.close());

  async function closed(sessionId = "s1"): Promise<string> {
    const { id, segment, finish } = await startRecording(app, project, sessionId);
    await segment(0, opening(nowMs));
    await finish("session_end");
    await tend();
    return id;
  }

  test("takes no segment and no second finish", async () => {
    const recorder = await startRecording(app, project);
    await recorder.segment(0, opening());
    await recorder.finish();
    const { id, token } = recorder;
    expect(await refusal(await sendSegment(id, token, 1))).toEqual([409, "REPLAY_CLOSED"]);
    const body = { upload_token: token };
    const again = await app.send("POST", `/replays/ingest/${id}/finish`, { body });
    expect(await refusal(again)).toEqual([409, "REPLAY_CLOSED"]);
  });

  test("lies in one file, which a delete call erases; its summary stays 30 days", async () => {
    const id = await closed();
    expect(files()).toHaveLength(1);
    await app.send("DELETE", `/replays/${id}`, { key: app.key });
    await tend();
    expect(files()).toEqual([]);
    expect(await replay(id)).toMatchObject({ status: "deleted", stop_reason: "session_end" });
    later(30 * dayMs + 1);
    await tend();
    const gone = await app.send("GET", `/replays/${id}`, { key: app.key });
    expect(await refusal(gone)).toEqual([404, "NOT_FOUND"]);
  });

  test("is deleted when its days are over", async () => {
    const id = await closed();
    later(29 * dayMs);
    await tend();
    expect(await replay(id)).toMatchObject({ status: "complete" });
    const put = { key: app.key, body: { project: "shop", retention_days: 29 } };
    expect((await app.send("PUT", "/replays/settings", put)).status).toBe(200);
    later(1);
    await tend();
    expect(await replay(id)).toMatchObject({ status: "deleted" });
  });

  test("goes with its project", async () => {
    const id = await closed();
    await app.send("DELETE", `/projects/${project.id}`, { key: app.key });
    await tend();
    expect(files()).toEqual([]);
    expect(await app.deps.replays.find(id)).toMatchObject({ status: "deleted" });
  });

  test("of one session is deleted together", async () => {
    const [first, second] = [await closed(), await closed()];
    const other = await closed("s2");
    const path = "/replays?project=shop&session_id=s1";
    const answer = await app.send("DELETE", path, { key: app.key });
    expect([answer.status, await answer.json()]).toEqual([202, { ok: true, count: 2 }]);
    await tend();
    const states = await Promise.all([first, second, other].map(replay));
    expect(states.map(({ status }) => status)).toEqual(["deleted", "deleted", "complete"]);
  });
});

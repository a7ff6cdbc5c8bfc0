import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import {
  type Call,
  type Json,
  noonMs,
  type TestApp,
  type TestProject,
  testApp,
} from "../../../test/support/app/app";
import {
  element,
  newText,
  opening,
  pageLoad,
  recordedProject,
  startRecording,
  typed,
} from "../../../test/support/app/recording";
import { account } from "../../store/control/tables";

let app: TestApp;
let project: TestProject;
beforeAll(async () => {
  app = await testApp();
  project = await recordedProject(app);
});
afterAll(() => app.close());

let sessions = 0;
const start = () => startRecording(app, project, `session-${++sessions}`);
async function answer(path: string, call: Call): Promise<unknown[]> {
  const response = await app.send("POST", path, call);
  const json = (await response.json()) as Json;
  return [response.status, json.error ?? json];
}
const post = (id: string, body: unknown, query = "", headers: Json = {}) =>
  answer(`/replays/ingest/${id}/segments${query}`, {
    body,
    headers: headers as Record<string, string>,
  });
const summary = (id: string) => app.get(`/replays/${id}`);
async function storedOf(id: string): Promise<string> {
  const { json } = await app.deps.replays.segments(id, -1);
  return new TextDecoder().decode(json);
}

describe("a segment", () => {
  test("may come in any order; a repeat changes nothing; another content under its number is not stored", async () => {
    const { id, segment } = await start();
    const events = [opening(), [newText(noonMs + 10, 7)], [newText(noonMs + 20, 7)]] as const;
    expect(await segment(2, events[2])).toMatchObject({ next_seq: 3, stored: true, stop: false });
    expect(await segment(0, events[0])).toMatchObject({ next_seq: 3, stored: true });
    expect(await segment(0, events[0])).toMatchObject({ next_seq: 3, stored: true });
    expect(await segment(0, events[1])).toMatchObject({ seq: 0, next_seq: 3, stored: false });
    expect(await segment(3, events[1])).toMatchObject({ next_seq: 4, stored: true });
    expect(await summary(id)).toMatchObject({ event_count: 4 });
    const { segments } = JSON.parse(`{"segments":${await storedOf(id)}}`);
    expect(segments.map(({ seq }: { seq: number }) => seq)).toEqual([0, 2, 3]);
  });

  test("may be compressed, said by a header or by the query", async () => {
    const { id, token } = await start();
    const body = (seq: number) =>
      new Uint8Array(gzipSync(JSON.stringify({ upload_token: token, seq, events: opening() })));
    expect((await post(id, body(0), "?enc=gzip"))[0]).toBe(202);
    expect((await post(id, body(1), "", { "content-encoding": "gzip" }))[0]).toBe(202);
    expect((await post(id, body(2)))[0]).toBe(400);
    expect(await post(id, new Uint8Array([31, 139, 8, 0]), "?enc=gzip")).toEqual([
      400,
      "INVALID_BODY",
    ]);
  });

  test("of more than 1 MiB, or one that inflates to more than 5, is refused", async () => {
    const { id, token } = await start();
    const large = JSON.stringify({
      upload_token: token,
      seq: 0,
      events: opening(),
      pad: "x".repeat(1 << 20),
    });
    expect(await post(id, large)).toEqual([413, "PAYLOAD_TOO_LARGE"]);
    const bomb = new Uint8Array(gzipSync(Buffer.alloc(50 << 20)));
    expect(bomb.length).toBeLessThan(1 << 20);
    expect(await post(id, bomb, "?enc=gzip")).toEqual([413, "PAYLOAD_TOO_LARGE"]);
    expect(await post(id, bomb, `?enc=gzip&t=${token}`)).toEqual([413, "PAYLOAD_TOO_LARGE"]);
    const call = await answer("/replays/ingest/start?enc=gzip", { body: bomb });
    expect(call).toEqual([413, "PAYLOAD_TOO_LARGE"]);
    expect(await summary(id)).toMatchObject({ event_count: 0 });
  });

  test("may be as deep as JSON goes: what is deeper than a page can be is left out", async () => {
    const { id, token } = await start();
    const deep = `{"type":2,"timestamp":${noonMs},"data":{"node":`;
    const levels = 60_000;
    const node = `{"type":2,"id":1,"tagName":"div","attributes":{},"childNodes":[`;
    const lists = "[".repeat(levels) + "]".repeat(levels);
    const body = `{"upload_token":"${token}","seq":0,"events":[${deep}${lists}}}]}`;
    expect((await post(id, body))[0]).toBe(202);
    const nested = `{"type":0,"id":1,"childNodes":[${node.repeat(4_000)}${"]}".repeat(4_000)}]}`;
    const nestedBody = `{"upload_token":"${token}","seq":1,"events":[${deep}${nested}}}]}`;
    expect((await post(id, nestedBody))[0]).toBe(202);
    expect((await storedOf(id)).length).toBeLessThan(100_000);
  });

  test("is refused as a whole when one event has no type or is of another day", async () => {
    const { id, token, segment } = await start();
    const refused = (seq: number, events: readonly unknown[]) =>
      post(id, { upload_token: token, seq, events });
    const day = 86_400_000;
    for (const bad of [
      {},
      [],
      null,
      { type: 7, timestamp: noonMs },
      { type: 1.5, timestamp: noonMs },
      { type: 3, timestamp: "now" },
      { type: 3, timestamp: noonMs - day - 1 },
      { type: 3, timestamp: noonMs + day + 1 },
    ]) {
      expect(await refused(0, [...opening(), bad])).toEqual([400, "INVALID_BODY"]);
    }
    expect(await refused(0, [])).toEqual([400, "INVALID_BODY"]);
    expect(await refused(-1, opening())).toEqual([400, "INVALID_BODY"]);
    expect(await refused(0, Array(5_001).fill(pageLoad(noonMs)))).toEqual([400, "INVALID_BODY"]);
    expect(await summary(id)).toMatchObject({ event_count: 0, has_full_snapshot: false });
    const edges = [pageLoad(noonMs - day), pageLoad(noonMs + day)];
    expect(await segment(0, edges)).toMatchObject({ stored: true });
  });

  test("keeps nothing that was typed, no script and no address that loads", async () => {
    const { id, segment } = await start();
    const evil = element(1, "SCRIPT", { src: "https://evil.example/x.js", onload: "steal()" });
    const page = {
      type: 2,
      timestamp: noonMs,
      data: { node: { type: 0, id: 9, childNodes: [evil] }, initialOffset: {} },
    };
    await segment(0, [
      page,
      typed(noonMs + 1, "hunter2"),
      pageLoad(noonMs, "https://a.b/c?secret=1"),
    ]);
    const stored = await storedOf(id);
    for (const word of ["evil.example", "steal", "hunter2", "secret"])
      expect(stored).not.toContain(word);
    expect(stored).toContain("*******");
  });

  test("beyond a limit ends the replay and is not stored", async () => {
    const { id, segment } = await start();
    await segment(0, opening());
    expect(await segment(10_000, opening())).toEqual({
      ...{ ok: true, seq: 10_000, next_seq: 1, stop: true, stored: false },
    });
    expect(await summary(id)).toMatchObject({ status: "complete", stop_reason: "max_bytes" });
  });
});

describe("who may send", () => {
  test("has the token of this replay: of no other, of no other kind, and within its hour", async () => {
    const [mine, other] = [await start(), await start()];
    const events = opening();
    const wrong = [
      other.token,
      mine.token.replace("aau", "rvt"),
      "aau_x",
      "",
      `${mine.token.slice(0, -1)}z`,
      5,
    ];
    for (const upload_token of [...wrong, undefined]) {
      const got = await post(mine.id, { upload_token, seq: 0, events });
      expect([upload_token, ...got]).toEqual([upload_token, 401, "INVALID_TOKEN"]);
    }
    expect(
      await post("rpl_0000000000000000", { upload_token: mine.token, seq: 0, events }),
    ).toEqual([...[401, "INVALID_TOKEN"]]);
    const finish = (token: string) =>
      answer(`/replays/ingest/${mine.id}/finish?t=${token}`, { body: {} });
    expect(await finish(other.token)).toEqual([401, "INVALID_TOKEN"]);
    expect((await post(mine.id, { seq: 0, events }, `?t=${mine.token}`))[0]).toBe(202);
    expect(
      await answer(`/replays/ingest/${mine.id}/finish`, {
        body: { upload_token: mine.token, stop_reason: "because" },
      }),
    ).toEqual([400, "MISSING_FIELDS"]);
  });

  test("comes from an allowed origin, and is no bot", async () => {
    const { id, token } = await start();
    const body = { upload_token: token, seq: 0, events: opening() };
    const foreign = { origin: "https://evil.example" };
    expect(await post(id, body, "", foreign)).toEqual([403, "ORIGIN_NOT_ALLOWED"]);
    const begin = { token: project.token, session_id: "bot" };
    const path = "/replays/ingest/start";
    expect(await answer(path, { body: begin, headers: foreign })).toEqual([
      403,
      "ORIGIN_NOT_ALLOWED",
    ]);
    const bot = {
      "user-agent": "Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)",
    };
    expect(await answer(path, { body: begin, headers: bot })).toEqual([
      202,
      { ok: true, recording: false },
    ]);
    expect(await post(id, body, "", bot)).toEqual([
      202,
      { ok: true, seq: 0, next_seq: 0, stop: true, stored: false },
    ]);
    expect(await summary(id)).toMatchObject({ event_count: 0 });
  });

  test("is told what is wrong with a start call", async () => {
    const path = "/replays/ingest/start";
    const { token } = project;
    const unknown = `aat_${"0".repeat(48)}`;
    expect(await answer(path, { body: { token: unknown, session_id: "s" } })).toEqual([
      401,
      "INVALID_TOKEN",
    ]);
    for (const body of [
      { token },
      { token, session_id: "" },
      { token, session_id: "x".repeat(257) },
    ]) {
      expect(await answer(path, { body })).toEqual([400, "MISSING_FIELDS"]);
    }
    expect(await answer(path, { body: { token, session_id: 5 } })).toEqual([400, "INVALID_BODY"]);
    expect(await answer(path, { body: "[" })).toEqual([400, "INVALID_BODY"]);
    const ok = await answer(path, {
      body: JSON.stringify({ token, session_id: "s", colour: "red", user_id: null }),
    });
    expect(ok[0]).toBe(201);
  });
});

describe("where nothing is recorded", () => {
  test("the config says only so, and ingestion refuses", async () => {
    const off = await app.makeProject("off");
    const config = async () =>
      (await app.send("GET", `/replays/config?token=${off.token}`)).json() as Promise<unknown>;
    expect(await config()).toEqual({ enabled: false });
    const body = { token: off.token, session_id: "s" };
    expect(await answer("/replays/ingest/start", { body })).toEqual([403, "REPLAY_DISABLED"]);
    await app.post("/replays/enable", { project: "off" });
    expect(await config()).toEqual({
      ...{ enabled: true, start_mode: "after_consent", sample_rate: 1 },
      ...{ mask_selectors: [], block_selectors: [] },
    });
    app.deps.control.write(() =>
      app.deps.control.db.update(account).set({ tier: "free", complimentary: false }).run(),
    );
    expect(await config()).toEqual({ enabled: false });
    app.deps.control.write(() => app.deps.control.db.update(account).set({ tier: "pro" }).run());
  });
});

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createProject, type Project, setUpAccount, userAgent } from "../../support/server/account";
import type { Reply } from "../../support/server/connection";
import { type SmallDisk, smallDisk } from "../../support/server/disk";
import { ask, type Server } from "../../support/server/server";
import { eventually } from "../../support/suite/eventually";

/** The 5 s are a figure of `npm run load`; here it comes back at all, by itself. */
const recoveryMsMax = 60_000;
const noiseBytes = 40_000;

let disk: SmallDisk;
let server: Server;
let key = "";
let project: Project;
beforeAll(async () => {
  disk = smallDisk();
  server = await disk.start();
  key = await setUpAccount(server.url);
  project = await createProject(server.url, key, "full-disk");
  const body = { project: project.name };
  expect((await ask(server.url, "POST", "/replays/enable", owner(), body)).status).toBe(200);
});
afterAll(async () => {
  await server.kill();
  disk.remove();
});

const owner = () => ({ "X-API-Key": key });
const post = (path: string, body: unknown): Promise<Reply> =>
  ask(server.url, "POST", `/replays/ingest/${path}`, { "User-Agent": userAgent }, body);
const start = (session_id: string): Promise<Reply> =>
  post("start", { token: project.token, session_id });

interface Recording {
  readonly id: string;
  readonly upload_token: string;
  readonly acknowledged: number[];
  readonly refused: number[];
}
async function record(session: string): Promise<Recording> {
  // A server that was full looks at the disk once a second.
  const { body } = await untilTaken(() => start(session), [200, 201]);
  const { replay_id: id, upload_token } = JSON.parse(body);
  return { id, upload_token, acknowledged: [], refused: [] };
}

async function send({ id, upload_token, acknowledged, refused }: Recording, seq: number) {
  const timestamp = Date.now();
  const node = { type: 0, id: 1, childNodes: [] };
  const snapshot = { type: 2, timestamp, data: { node, initialOffset: { top: 0, left: 0 } } };
  const noise = Buffer.from(crypto.getRandomValues(new Uint8Array(noiseBytes))).toString("base64");
  const changed = { source: 0, texts: [{ id: 1, value: `${seq} ${noise}` }] };
  const change = { ...changed, attributes: [], removes: [], adds: [] };
  const events = [snapshot, { type: 3, timestamp, data: change }];
  const reply = await post(`${id}/segments`, { upload_token, seq, events });
  (reply.status === 202 ? acknowledged : refused).push(seq);
  return reply;
}

/** A write failed, or the server had looked at the disk before: then senders come back later, and apart. */
function expectRefusal({ status, headers, body }: Reply): void {
  const { error, reason } = JSON.parse(body);
  expect([status, error]).toEqual([503, "UNAVAILABLE"]);
  const seconds = Number(headers.get("retry-after"));
  if (reason === "disk") expect(seconds >= 60 && seconds <= 300).toBe(true);
  else expect(seconds).toBe(1);
}

/** Room that the files have already may take a few more. */
async function untilRefused(request: (count: number) => Promise<Reply>): Promise<Reply> {
  for (let count = 0; count < 2_000; count++) {
    const reply = await request(count);
    if (reply.status !== 202 && reply.status !== 201) return reply;
  }
  throw new Error("2,000 requests were taken on a full disk.");
}

async function untilTaken(request: () => Promise<Reply>, statuses: readonly number[]) {
  const sinceMs = performance.now();
  for (;;) {
    const reply = await request();
    if (statuses.includes(reply.status)) return reply;
    expect(reply.status).toBe(503);
    expect(performance.now() - sinceMs).toBeLessThan(recoveryMsMax);
    await Bun.sleep(100);
  }
}

const ready = (): Promise<Reply> => ask(server.url, "GET", "/health/ready");
const told = (message: string): number =>
  server
    .output()
    .split("\n")
    .filter((line) => line.includes(message) && line.includes('"replays.db"')).length;

const recordings: Recording[] = [];

describe("when the disk is full", () => {
  test("the very first recording is refused with 503, and taken as soon as there is space", async () => {
    disk.fill();
    expectRefusal(await start("first"));
    expect((await ready()).status).toBe(503);
    disk.free();
    const taken = await untilTaken(() => start("first"), [201, 200]);
    expect(JSON.parse(taken.body).recording).toBe(true);
    await untilTaken(ready, [200]);
  });

  test("segments are acknowledged or refused with 503; readiness and one line of the log say why", async () => {
    const before = told("the storage failed");
    const recording = await record("filling");
    recordings.push(recording);
    for (let seq = 0; seq < 10; seq++) expect((await send(recording, seq)).status).toBe(202);
    disk.fill();
    expectRefusal(await untilRefused((count) => send(recording, 10 + count)));
    for (let more = 0; more < 5; more++) {
      const reply = await send(recording, 3_000 + more);
      if (reply.status !== 202) expectRefusal(reply);
    }
    await eventually(async () => {
      const { status, body } = await ready();
      expect([status, JSON.parse(body).checks.disk]).toEqual([503, "failed"]);
    });
    const failures = told("the storage failed") - before;
    expect(failures).toBeLessThanOrEqual(1);
    expect(failures + server.output().split('"to":"full"').length - 1).toBeGreaterThan(0);
  });

  test("what was recorded is still watched, and who finishes is told to try again", async () => {
    const [{ id, acknowledged, upload_token }] = recordings as [Recording];
    expect(await storedOf(id)).toEqual(acknowledged);
    const finish = () => post(`${id}/finish`, { upload_token });
    const reply = await finish();
    if (reply.status !== 202) expectRefusal(reply);
  });
});

describe("after space was freed", () => {
  test("refused segments are taken under their numbers, without a restart; nothing is half there", async () => {
    disk.free();
    const recording = await record("afterwards");
    await untilTaken(() => send(recording, 0), [202]);
    await untilTaken(ready, [200]);
    expect(await storedOf(recording.id)).toEqual([0]);
    const [first] = recordings as [Recording];
    const state = JSON.parse((await read(`/replays/${first.id}`)).body);
    if (state.status === "recording") {
      const again = first.refused.filter((seq) => seq < 3_000);
      for (const seq of again) await untilTaken(() => send(first, seq), [202]);
      const { id, upload_token } = first;
      expect((await post(`${id}/finish`, { upload_token })).status).toBe(202);
    }
    const expected = [...new Set(first.acknowledged)].sort((a, b) => a - b);
    expect(await storedOf(first.id)).toEqual(expected);
  });

  test("closed ones are put into their files, and a deleted one gives its space back", async () => {
    const [{ id }] = recordings as [Recording];
    const has = async (name: string): Promise<unknown> =>
      JSON.parse((await read(`/replays/${id}`)).body)[name];
    await until(async () => (await has("rage_clicks")) !== null);
    expect(await has("rage_clicks")).toBe(0);
    expect((await ask(server.url, "DELETE", `/replays/${id}`, owner())).status).toBe(202);
    await until(async () => (await has("status")) === "deleted");
    expect(await has("status")).toBe("deleted");
    expect(told("maintenance of recordings failed")).toBe(0);
  });

  test("it stops in order", async () => {
    expect(await server.stop()).toBe(0);
  });
});

const read = (path: string): Promise<Reply> => ask(server.url, "GET", path, owner());

/** Numbers of the segments that the viewer gets, each whole. */
async function storedOf(id: string): Promise<number[]> {
  const opened = await ask(server.url, "POST", `/replays/${id}/open`, owner());
  expect(opened.status).toBe(200);
  const { pathname } = new URL(JSON.parse(opened.body).viewer_url);
  const seqs: number[] = [];
  for (let after: number | null = -1; after !== null; ) {
    const { body } = await ask(server.url, "GET", `${pathname}/data?after=${after}`);
    const page: {
      segments: { seq: number; events: unknown[] }[];
      next_after: number | null;
    } = JSON.parse(body);
    for (const { seq, events } of page.segments) {
      expect(events).toHaveLength(2);
      seqs.push(seq);
    }
    after = page.next_after;
  }
  return seqs;
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 50_000;
  while (!(await holds()) && performance.now() < deadline) await Bun.sleep(50);
}

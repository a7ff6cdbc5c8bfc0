import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import {
  createProject,
  type Project,
  read,
  setUpAccount,
  userAgent,
} from "../support/server/account";
import type { Reply } from "../support/server/connection";
import { hangSyncsOf, hasEnded } from "../support/server/hanging-disk";
import {
  ask,
  removeFolder,
  type Server,
  startServer,
  temporaryFolder,
} from "../support/server/server";
import { eventually } from "../support/suite/eventually";

const dataDir = temporaryFolder();
let server: Server;
let key = "";
let project: Project;

beforeAll(async () => {
  server = await startServer({ dataDir });
  key = await setUpAccount(server.url);
  project = await createProject(server.url, key, "hanging");
});
afterAll(async () => {
  await server.kill();
  removeFolder(dataDir);
});

const hang = () => hangSyncsOf(join(dataDir, "events.db-wal"), server.process.pid);
const track = (id: string): Promise<Reply> =>
  ask(
    server.url,
    "POST",
    "/track",
    { "User-Agent": userAgent },
    { token: project.token, event: "step", event_id: id, user_id: "me", session_id: "one" },
  );
const ready = (): Promise<Reply> => ask(server.url, "GET", "/health/ready");
async function storedIds(): Promise<string[]> {
  const path = `/events?project=${project.name}&limit=1000`;
  const { events } = await read<{ events: { event_id?: string }[] }>(server.url, key, path);
  return events.map(({ event_id = "" }) => event_id);
}
const countOf = async (): Promise<number> => (await storedIds()).length;
async function timed<T>(work: Promise<T>): Promise<readonly [T, seconds: number]> {
  const startedAtMs = performance.now();
  return [await work, (performance.now() - startedAtMs) / 1_000];
}

test("a disk that hangs: not ready after 5 s, 503 after 15 s, and all goes on when it answers", async () => {
  expect((await track("before")).status).toBe(202);
  const before = await countOf();
  const disk = await hang();
  const sent = timed(track("sent"));
  await Bun.sleep(500);
  const waiting = timed(track("waiting"));
  await Bun.sleep(2_000);
  expect((await ready()).status).toBe(200);
  await eventually(async () => expect((await ready()).status).toBe(503));
  expect(JSON.parse((await ready()).body).checks).toMatchObject({ storage: "ok", queue: "failed" });
  expect((await ask(server.url, "GET", "/health")).status).toBe(200);

  const [ofSent, sentSeconds] = await sent;
  const [ofWaiting, waitingSeconds] = await waiting;
  for (const seconds of [sentSeconds, waitingSeconds]) expect(seconds).toBeWithin(14.5, 20);
  expect([ofSent.status, ofWaiting.status]).toEqual([503, 503]);
  expect(ofSent.body).toMatch(/may still be stored.*same event_id/);
  expect(ofWaiting.body).toMatch(/none of this was stored/);
  const [later, laterSeconds] = await timed(track("later"));
  expect([later.status, laterSeconds < 5]).toEqual([503, true]);
  expect((await ready()).status).toBe(503);

  await disk.mend();
  await eventually(async () => expect((await ready()).status).toBe(200));
  // What was sent is stored by now: a repeat is known. The others were not.
  expect(await countOf()).toBe(before + 1);
  for (const id of ["sent", "waiting", "later"]) expect((await track(id)).status).toBe(202);
  expect(await countOf()).toBe(before + 3);
  const lines = server.output();
  expect(lines).toContain("the storage does not respond; events are waiting for it");
  await eventually(() => expect(server.output()).toContain("the storage responds again"));
}, 120_000);

test("SIGTERM while it hangs ends the server within 20 s, and nothing acknowledged is lost", async () => {
  const before = await countOf();
  expect((await track("acknowledged")).status).toBe(202);
  const disk = await hang();
  const lost = track("unanswered").then(
    ({ status }) => status,
    () => "the connection was closed",
  );
  await Bun.sleep(500);
  const { pid } = server.process;
  server.process.kill("SIGTERM");
  const ended = eventually(() => expect(hasEnded(pid)).toBe(true));
  const [, seconds] = await timed(ended).finally(() => disk.mend());
  expect(seconds).toBeWithin(15, 20);
  expect(await server.stop()).toBe(1);
  expect(server.output()).toContain(
    "the server exits before everything is closed, because something hangs",
  );
  expect([503, "the connection was closed"]).toContain(await lost);

  server = await startServer({ dataDir });
  expect(await countOf()).toBeWithin(before + 1, before + 3);
  expect((await track("acknowledged")).status).toBe(202);
  expect((await track("unanswered")).status).toBe(202);
  expect(await countOf()).toBe(before + 2);
  expect(await server.stop()).toBe(0);
}, 120_000);

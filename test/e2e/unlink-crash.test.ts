import { afterAll, beforeAll, expect, test } from "bun:test";
import { randomFrom, randomSeed } from "../support/random/random";
import {
  createProject,
  type Project,
  read,
  setUpAccount,
  userAgent,
} from "../support/server/account";
import { ask, removeFolder, startServer, temporaryFolder } from "../support/server/server";

const rounds = 6;
const devicesPerRound = 60;
const senders = 4;

const random = randomFrom(randomSeed());
const dataDir = temporaryFolder();
let key = "";

beforeAll(async () => {
  process.stdout.write(`kill -9 rounds of unlinking: SEED=${random.seed}\n`);
  const server = await startServer({ dataDir });
  key = await setUpAccount(server.url);
  await server.stop();
});
afterAll(() => removeFolder(dataDir));

test("kill -9 while ids are unlinked: what was acknowledged stays so, the rest is whole", async () => {
  let kept = 0;
  let cut = 0;
  for (let round = 1; round <= rounds || (cut === 0 && round <= 4 * rounds); round++) {
    const { project, unlinked, asked } = await unlinkAndKill(`round-${round}`);
    const server = await startServer({ dataDir });
    for (const device of devicesOf(round)) {
      const isUnlinked = await isAlone(server.url, project, device);
      if (unlinked.has(device)) expect([device, isUnlinked]).toEqual([device, true]);
      else if (!asked.has(device)) expect([device, isUnlinked]).toEqual([device, false]);
    }
    kept += unlinked.size;
    if (unlinked.size < devicesPerRound) cut += 1;
    expect(await server.stop()).toBe(0);
  }
  process.stdout.write(`${kept} unlinked ids were still so, ${cut} rounds were cut short\n`);
  expect([kept > 0, cut > 0]).toEqual([true, true]);
}, 600_000);

const devicesOf = (round: number): readonly string[] =>
  Array.from({ length: devicesPerRound }, (_, at) => `device-${round}-${at}`);
const personOf = (device: string): string => `person of ${device}`;

/** Links devices to persons, takes it back one after the other, and kills the server in the middle of it. */
async function unlinkAndKill(name: string) {
  const server = await startServer({ dataDir });
  const project = await createProject(server.url, key, name);
  const devices = devicesOf(Number(name.split("-")[1]));
  const agent = { "User-Agent": userAgent };
  const events = devices.map((user_id) => ({ event: "visit", user_id, token: project.token }));
  expect((await ask(server.url, "POST", "/track/batch", agent, { events })).status).toBe(202);
  await Promise.all(
    devices.map(async (device) => {
      const ids = { token: project.token, previous_id: device, user_id: personOf(device) };
      expect((await ask(server.url, "POST", "/identify", agent, ids)).status).toBe(202);
    }),
  );
  const unlinked = new Set<string>();
  const asked = new Set<string>();
  const waiting = [...devices];
  let isKilled = false;
  const sending = Array.from({ length: senders }, async () => {
    for (let device = waiting.pop(); device !== undefined; device = waiting.pop()) {
      asked.add(device);
      const body = { project: project.name, previous_id: device };
      const headers = { "X-API-Key": key };
      const answer = await ask(server.url, "POST", "/identities/unlink", headers, body).catch(
        (error: unknown) => {
          if (isKilled) return null;
          throw error;
        },
      );
      if (answer === null) return;
      expect([device, answer.status, answer.body]).toEqual([device, 200, expect.any(String)]);
      expect(JSON.parse(answer.body)).toMatchObject({ user_id: personOf(device), events: 1 });
      unlinked.add(device);
    }
  });
  const least = random.below(devicesPerRound - senders);
  while (unlinked.size < least) await Bun.sleep(1);
  isKilled = true;
  await server.kill();
  await Promise.all(sending);
  return { project, unlinked, asked };
}

/** Tells whether a device's event is its own again: while the device is linked the event is its person's. */
async function isAlone(url: string, project: Project, device: string): Promise<boolean> {
  const query = new URLSearchParams({ project: project.name, user_id: device });
  const found = await read<{ matched_user_ids: string[]; count: number }>(
    url,
    key,
    `/journey?${query}`,
  );
  expect([device, found.count]).toEqual([device, 1]);
  const [id] = found.matched_user_ids;
  expect([device, personOf(device)]).toContain(id);
  return id === device;
}

import { afterAll, expect, test } from "bun:test";
import { smtpServer, smtpSettings } from "../mail/smtp";
import { createProject, ownOrigin, read, setUpAccount } from "../support/server/account";
import {
  ask,
  launch,
  removeFolder,
  type Server,
  startServer,
  temporaryFolder,
} from "../support/server/server";
import { eventually } from "../support/suite/eventually";

const dataDir = temporaryFolder();
const smtp = await smtpServer();
afterAll(async () => {
  await smtp.close();
  removeFolder(dataDir);
});

const [hourMs, dayMs] = [3_600_000, 86_400_000];
/** A Monday of the past, 00:00 UTC; day 4 of the epoch was one. */
const mondayMs = (Math.floor((Date.now() / dayMs - 4) / 7) * 7 - 3) * dayMs;
const env = smtpSettings(smtp, { PUBLIC_URL: ownOrigin });
/** A server whose clock shows a time of that Monday, or before it. */
const optionsAt = (timeMs: number, more: Readonly<Record<string, string>> = env) => ({
  ...{ dataDir, env: { ...more, CLOCK_OFFSET_MS: String(timeMs - Date.now()) } },
});
const startAt = (timeMs: number, more?: Readonly<Record<string, string>>): Promise<Server> =>
  startServer(optionsAt(timeMs, more));
const reports = () =>
  smtp.taken.filter(({ raw }) => /^X-Sightline-Kind: report/m.test(raw)).map(({ raw }) => raw);

test("kill -9 before the report is queued and at each step of its mail: it arrives once", async () => {
  // Set-up is open on this machine while PUBLIC_URL is unset.
  let server = await startAt(mondayMs - 12 * hourMs, {});
  const key = await setUpAccount(server.url);
  const shop = await createProject(server.url, key, "shop");
  const { user } = await read<{ user: { id: string } }>(server.url, key, "/account");
  const headers = { "X-API-Key": key };
  const body = { project: shop.name, every: "week", to: [user.id] };
  const made = await ask(server.url, "POST", "/reports", headers, body);
  const { id, next_at } = JSON.parse(made.body) as { id: string; next_at: string };
  expect(next_at).toBe(new Date(mondayMs + 8 * hourMs).toISOString());
  await server.stop();
  const dueMs = mondayMs + 8 * hourMs + 30_000;
  // Jobs begin with the start: these ends come before, while or after the report is queued.
  for (const restMs of [0, 20, 60]) {
    smtp.refuse = { from: () => [451, "wait"] };
    server = await startAt(dueMs);
    await Bun.sleep(restMs);
    await server.kill();
  }
  for (const step of ["from", "to", "data"] as const) {
    const { promise, resolve } = Promise.withResolvers<void>();
    const refuse = (): readonly [number, string] => {
      resolve(server.kill());
      return [451, "gone"];
    };
    smtp.refuse = { [step]: refuse };
    // A message that was refused waits for longer each time. It may be sent before the server says that it is ready.
    const waits = step === "from" ? 1 : step === "to" ? 2 : 3;
    server = launch(optionsAt(dueMs + 12 * hourMs * waits));
    await promise;
    expect(reports()).toEqual([]);
  }
  smtp.refuse = {};
  server = await startAt(dueMs + 47 * hourMs);
  await eventually(() => expect(reports()).toHaveLength(1));
  await server.stop();
  server = await startAt(dueMs + 47 * hourMs + 60_000);
  const { reports: listed } = await read<{ reports: readonly { id: string; last: unknown }[] }>(
    ...[server.url, key, "/reports?project=shop"],
  );
  expect(listed).toMatchObject([{ id, last: { sent: 1, failed: 0 } }]);
  expect(await server.stop()).toBe(0);
  expect(reports()).toHaveLength(1);
}, 120_000);

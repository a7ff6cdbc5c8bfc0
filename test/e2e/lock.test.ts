import { afterAll, expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { createProject, setUpAccount, userAgent } from "../support/server/account";
import {
  ask,
  removeFolder,
  runCommand,
  type Server,
  startServer,
  temporaryFolder,
} from "../support/server/server";
import { eventually } from "../support/suite/eventually";
import { storedEvents } from "./verify";

const dataDir = temporaryFolder();
afterAll(() => removeFolder(dataDir));

test("a server whose lock.db is deleted stops, and what it and its successor acknowledged is there once", async () => {
  const first = await startServer({ dataDir });
  const key = await setUpAccount(first.url);
  const project = await createProject(first.url, key, "locked");
  const acknowledged = new Set<string>();
  /** Events whose server ended before it answered: it may have stored them. */
  const unanswered = new Set<string>();
  let lastNumber = 0;
  /** Sends events until the server does not take them any more. */
  const send = async ({ url }: Server, most = Number.POSITIVE_INFINITY): Promise<void> => {
    for (let sent = 0; sent < most; sent++) {
      const id = `n${++lastNumber}`;
      const body = { token: project.token, event: "step", properties: { id } };
      const reply = await ask(url, "POST", "/track", { "User-Agent": userAgent }, body).catch(
        () => null,
      );
      if (reply?.status === 202) acknowledged.add(id);
      else {
        if (reply === null || reply.body.includes("may still be stored")) unanswered.add(id);
        return;
      }
    }
  };
  const sending = [send(first), send(first), send(first)];
  await eventually(() => expect(acknowledged.size).toBeGreaterThan(50));

  rmSync(join(dataDir, "lock.db"));
  const second = await startServer({ dataDir });
  await send(second, 100);
  expect(await first.process.exited).toBe(1);
  await Promise.all(sending);
  expect(first.output()).toMatch(
    /"level":"error","message":"the server stops, as it can no longer store.*lock\.db was deleted or replaced/,
  );

  const doctor = await runCommand(["doctor"], { dataDir });
  expect(doctor.output).toContain(`server: running on this folder: http://localhost:`);
  const stored = (await storedEvents(second.url, key, project)).map(({ properties }) =>
    String(properties?.id),
  );
  const once = new Set(stored);
  expect(once.size).toBe(stored.length);
  expect([...acknowledged].filter((id) => !once.has(id))).toEqual([]);
  expect(stored.filter((id) => !acknowledged.has(id) && !unanswered.has(id))).toEqual([]);
  const third = await runCommand(["serve"], { dataDir, env: { PORT: "0" } });
  expect([third.exitCode, third.output]).toEqual([1, expect.stringContaining("Another Sightline")]);
  expect(await second.stop()).toBe(0);
}, 60_000);

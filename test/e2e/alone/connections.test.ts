import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { createProject, type Project, setUpAccount, userAgent } from "../../support/server/account";
import { Connection, requestText } from "../../support/server/connection";
import {
  removeFolder,
  type Server,
  startServer,
  temporaryFolder,
} from "../../support/server/server";
import { storedEvents } from "../verify";

const idleMax = 10_000;
const trickling = 200;
const eventsPerSecond = 1_000;
/** A request not complete within 30 s is closed; none of them at once, all before the test gives up. */
const closedWithinMs = { least: 5_000, most: 120_000 };

const dataDir = temporaryFolder();
let server: Server;
let key = "";
let project: Project;

beforeAll(async () => {
  server = await startServer({ dataDir });
  key = await setUpAccount(server.url);
  project = await createProject(server.url, key, "crowded");
});
afterAll(async () => {
  await server.kill();
  removeFolder(dataDir);
});

test("silent and trickling connections stop no event of 1,000 a second; incomplete requests end", async () => {
  const silent = await openMany(Math.min(idleMax, descriptorsMax() - 500));
  const slow = await openMany(trickling);
  const openedAtMs = performance.now();
  const closedAfterMs: number[] = [];
  let answered = 0;
  /** Before the first of them was closed. */
  let answeredBesideThem: number | null = null;
  for (const line of slow) {
    void line.closed.then(() => {
      answeredBesideThem ??= answered;
      closedAfterMs.push(performance.now() - openedAtMs);
    });
  }
  // Half of them never finish their head, the other half never their body.
  const parts = ["POST /track HTTP/1.1\r\nX-Slow: ", slowBody];
  for (const [index, line] of slow.entries()) line.sendPart(parts[index % 2]);
  const trickle = setInterval(() => {
    for (const line of slow) line.sendPart("x");
  }, 1_000);

  const isOver = () =>
    closedAfterMs.length === trickling || performance.now() - openedAtMs > closedWithinMs.most;
  const sent = await trackSteadily(isOver, () => {
    answered++;
  });
  clearInterval(trickle);
  expect(closedAfterMs.length).toBe(trickling);
  expect(Math.min(...closedAfterMs)).toBeGreaterThan(closedWithinMs.least);
  for (const line of [...silent, ...slow]) line.close();

  // The times are figures of `npm run load`, as they depend on the machine.
  expect(answeredBesideThem).toBeGreaterThan(0);
  expect(answered).toBe(sent);
  expect((await storedEvents(server.url, key, project)).length).toBe(sent);
});

const slowBody = requestText(
  "POST",
  "/track",
  { "User-Agent": userAgent },
  "{".padEnd(1_000),
).slice(0, -990);

async function openMany(count: number): Promise<Connection[]> {
  const lines: Connection[] = [];
  while (lines.length < count) {
    const group = Math.min(250, count - lines.length);
    lines.push(
      ...(await Promise.all(Array.from({ length: group }, () => Connection.open(server.url)))),
    );
  }
  return lines;
}

/** Sends at the rate whether earlier ones were answered or not. Returns how many it sent. */
async function trackSteadily(isOver: () => boolean, answered: () => void): Promise<number> {
  const free = await openMany(100);
  const started = performance.now();
  const replies: Promise<void>[] = [];
  for (let number = 0; !isOver(); await Bun.sleep(5)) {
    const due = ((performance.now() - started) / 1000) * eventsPerSecond;
    for (; number < due; number++) {
      const line = free.shift();
      if (line === undefined) break;
      replies.push(
        track(line, number)
          .then(answered)
          .finally(() => free.push(line)),
      );
    }
  }
  await Promise.all(replies);
  for (const line of free) line.close();
  return replies.length;
}

async function track(line: Connection, number: number): Promise<void> {
  const body = {
    token: project.token,
    event: "steady",
    event_id: `n${number}`,
    properties: { number },
  };
  const reply = await line.send(
    requestText("POST", "/track", { "User-Agent": userAgent }, JSON.stringify(body)),
  );
  if (reply.status !== 202) throw new Error(`/track answered ${reply.status}: ${reply.body}`);
}

/** The soft limit of open files; the server inherits it from this process. */
function descriptorsMax(): number {
  const limits = readFileSync("/proc/self/limits", "utf8");
  return Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1]);
}

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  createProject,
  type Project,
  read,
  setUpAccount,
  userAgent,
} from "../../support/server/account";
import { Connection, type Reply, requestText } from "../../support/server/connection";
import { type SmallDisk, smallDisk } from "../../support/server/disk";
import { ask, type Server } from "../../support/server/server";
import { eventually } from "../../support/suite/eventually";
import { storedEvents } from "../verify";

/** The 5 s are a figure of `npm run load`; here it comes back at all, by itself. */
const recoveryMsMax = 60_000;

let disk: SmallDisk;
let server: Server;
let key = "";
let project: Project;
/** Numbers of the events that were acknowledged, and of those that were refused with 503. */
const acknowledged: number[] = [];
const refused: number[] = [];
let lastNumber = 0;

beforeAll(async () => {
  disk = smallDisk();
  server = await disk.start();
  key = await setUpAccount(server.url);
  project = await createProject(server.url, key, "full-disk");
});
afterAll(async () => {
  await server.kill();
  disk.remove();
});

describe("when the disk is full", () => {
  test("events are refused with 503 and Retry-After, and readiness says why", async () => {
    const connection = await Connection.open(server.url);
    for (let sent = 0; sent < 50 && (await track(connection)).status === 202; sent++);
    disk.fill();
    const reply = await untilRefused(() => track(connection));
    expectRetryAfter(reply);
    expect(JSON.parse(reply.body).error).toBe("UNAVAILABLE");
    await eventually(async () => {
      const ready = await ask(server.url, "GET", "/health/ready");
      expect(ready.status).toBe(503);
      expect(JSON.parse(ready.body)).toMatchObject({
        status: "unavailable",
        checks: { disk: "failed" },
      });
    });
    connection.close();
  });

  test("changes of projects are refused with 503", async () => {
    let count = 0;
    const reply = await untilRefused(() => newProject(`site-${++count}`));
    expect(JSON.parse(reply.body).error).toBe("UNAVAILABLE");
  });

  test("reads go on, and show what was acknowledged", async () => {
    expect(await totalEvents()).toBe(acknowledged.length);
    expect((await ask(server.url, "GET", "/projects", { "X-API-Key": key })).status).toBe(200);
    expect((await ask(server.url, "GET", "/health")).status).toBe(200);
  });

  test("the server is still the same process", () => {
    expect(server.process.exitCode).toBeNull();
  });
});

describe("after space was freed", () => {
  test("events and projects are taken again soon, without a restart", async () => {
    disk.free();
    const freedAtMs = performance.now();
    const connection = await Connection.open(server.url);
    await untilTaken(() => track(connection), 202, freedAtMs);
    await untilTaken(() => newProject("after"), 201, freedAtMs);
    await untilTaken(() => ask(server.url, "GET", "/health/ready"), 200, freedAtMs);
    connection.close();
  });

  test("what was acknowledged is there once, and nothing that was refused", async () => {
    const stored = (await storedEvents(server.url, key, project)).map(
      (row) => row.properties?.number,
    );
    expect(stored.toSorted(byNumber)).toEqual(acknowledged.toSorted(byNumber));
    expect(refused.length).toBeGreaterThan(0);
    expect(await totalEvents()).toBe(acknowledged.length);
    const shown = await read<{ total_events: number }>(server.url, key, `/projects/${project.id}`);
    expect(shown.total_events).toBe(acknowledged.length);
  });

  test("it stops in order", async () => {
    expect(await server.stop()).toBe(0);
  });
});

/** A write failed, or the server had looked at the disk before: then senders come back later, and apart. */
function expectRetryAfter({ headers, body }: Reply): void {
  const seconds = Number(headers.get("retry-after"));
  if (JSON.parse(body).reason === "disk") expect(seconds >= 60 && seconds <= 300).toBe(true);
  else expect(seconds).toBe(1);
}

/** A batch of 20 events with a kilobyte each, which no free page can hide. */
async function track(connection: Connection): Promise<Reply> {
  const numbers = Array.from({ length: 20 }, () => ++lastNumber);
  const events = numbers.map((number) => ({
    event: "filling",
    event_id: `n${number}`,
    properties: {
      number,
      noise: Buffer.from(crypto.getRandomValues(new Uint8Array(700))).toString("base64"),
    },
  }));
  const body = JSON.stringify({ token: project.token, events });
  const reply = await connection.send(
    requestText("POST", "/track/batch", { "User-Agent": userAgent }, body),
  );
  (reply.status === 202 ? acknowledged : refused).push(...numbers);
  return reply;
}

const newProject = (name: string): Promise<Reply> =>
  ask(
    server.url,
    "POST",
    "/projects",
    { "X-API-Key": key },
    { name, domain: `${name}.example.com` },
  );

/** Room that the files already have may take a few more; then it must be refused, in plain words. */
async function untilRefused(request: () => Promise<Reply>): Promise<Reply> {
  for (let tries = 0; tries < 5_000; tries++) {
    const reply = await request();
    if (reply.status === 503) return reply;
    expect(reply.status).toBeOneOf([201, 202]);
  }
  throw new Error("5,000 requests were taken on a full disk.");
}

async function untilTaken(request: () => Promise<Reply>, status: number, sinceMs: number) {
  for (;;) {
    const reply = await request();
    if (reply.status === status) return;
    expect(reply.status).toBe(503);
    expect(performance.now() - sinceMs).toBeLessThan(recoveryMsMax);
    await Bun.sleep(100);
  }
}

async function totalEvents(): Promise<number> {
  const stats = await read<{ totals: { total_events: number } }>(
    server.url,
    key,
    `/stats?project=${project.name}`,
  );
  return stats.totals.total_events;
}

const byNumber = (a: unknown, b: unknown): number => Number(a) - Number(b);

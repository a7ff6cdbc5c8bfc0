import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../support/server";
import { pathFromRoot } from "../support/sources";
import { startClickHouse, type TestClickHouse } from "./server-process";

/** The server from the sources, as `npm start` runs it. */

let clickhouse: TestClickHouse;
let dataDir = "";
beforeAll(async () => {
  clickhouse = await startClickHouse();
  dataDir = mkdtempSync(join(tmpdir(), "sightline-clickhouse-serve-"));
});
/** Also those of a test that failed. */
const children: Bun.Subprocess[] = [];
afterAll(async () => {
  for (const child of children) child.kill("SIGKILL");
  await clickhouse.close();
  rmSync(dataDir, { recursive: true, force: true });
});

const browser = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
const login = { email: "ann@example.com", password: "correct horse battery" };

async function start() {
  const port = freePort();
  const url = `http://127.0.0.1:${port}`;
  const child = Bun.spawn(
    [process.execPath, "--no-env-file", pathFromRoot("src", "main.ts"), "serve"],
    {
      env: {
        ...{ PATH: process.env.PATH ?? "", DATA_DIR: dataDir, HOST: "127.0.0.1" },
        ...{ PORT: String(port), RATE_LIMIT_RPM: "0", DEMO_ENABLED: "false" },
        ...{ ADMIN_EMAIL: login.email, ADMIN_PASSWORD: login.password },
        CLICKHOUSE_URL: clickhouse.url,
      },
      stdout: "pipe",
      stderr: "inherit",
    },
  );
  children.push(child);
  for (;;) {
    const isReady = await fetch(`${url}/health/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isReady) return { url, child };
    if (child.exitCode !== null) throw new Error("The server ended at its start.");
    await Bun.sleep(50);
  }
}

test("what a server acknowledged is there after it was killed, and its restart goes on", async () => {
  const first = await start();
  const send = async (url: string, path: string, body: unknown, headers = {}) => {
    const response = await fetch(url + path, {
      method: "POST",
      headers: { "content-type": "application/json", "user-agent": browser, ...headers },
      body: JSON.stringify(body),
    });
    return {
      status: response.status,
      headers: response.headers,
      body: (await response.json()) as Record<string, string>,
    };
  };
  const session = await send(first.url, "/auth/login", login);
  const cookie = session.headers.get("set-cookie")?.split(";")[0] ?? "";
  const signed = { cookie, origin: first.url };
  const { api_key: key } = (await send(first.url, "/account/api-key", {}, signed)).body;
  const project = { name: "shop", domain: "shop.example.com" };
  const { project_token: token } = (await send(first.url, "/projects", project, signed)).body;

  const track = (url: string, number: number) =>
    send(url, "/track", { token, event: "step", event_id: `e${number}`, properties: { number } });
  let acknowledged = 0;
  const tracking = (async () => {
    while (first.child.exitCode === null && first.child.signalCode === null) {
      const answer = await track(first.url, acknowledged).catch(() => null);
      if (answer?.status !== 202) return;
      acknowledged++;
    }
  })();
  while (acknowledged < 20) await Bun.sleep(5);
  first.child.kill("SIGKILL");
  await first.child.exited;
  await tracking;

  const second = await start();
  // What was on its way may be stored, and is known by its id.
  for (let number = 0; number <= acknowledged; number++) await track(second.url, number);
  const stats = await fetch(`${second.url}/stats?project=shop`, { headers: { "x-api-key": key } });
  expect(await stats.json()).toMatchObject({ totals: { total_events: acknowledged + 1 } });
  second.child.kill("SIGTERM");
  expect(await second.child.exited).toBe(0);
});

import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { Connection, requestText } from "../support/server/connection";
import { removeFolder, type Server, startServer, temporaryFolder } from "../support/server/server";

/** Anybody may register clients. From ever new addresses they come as fast as the server takes them. */
const registrations = 5_000;
const lanes = 8;
const redirectBytes = 500;
/** What stands in an empty file, 20 MB of clients, and a log that is not copied into the file yet. */
const fileMbMax = 28;

const dataDir = temporaryFolder();
let server: Server;
beforeAll(async () => {
  server = await startServer({ dataDir, env: { TRUSTED_PROXIES: "127.0.0.0/8" } });
});
afterAll(async () => {
  await server.kill();
  removeFolder(dataDir);
});

const request = (number: number): string => {
  const address = `10.${number >> 16}.${(number >> 8) & 255}.${number & 255}`;
  const redirect = `http://127.0.0.1/${number}/`.padEnd(redirectBytes, "x");
  const body = { client_name: "x".repeat(200), redirect_uris: Array(5).fill(redirect) };
  const headers = { "X-Forwarded-For": address };
  return requestText("POST", "/oauth/register", headers, JSON.stringify(body));
};

test("a flood of registrations takes bounded bytes of control.db", async () => {
  const started = performance.now();
  let next = 0;
  const lane = async (): Promise<void> => {
    const line = await Connection.open(server.url);
    while (next < registrations) {
      const { status } = await line.send(request(next++));
      if (status !== 201) throw new Error(`a registration was answered ${status}`);
    }
    line.close();
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  const sentMb = (registrations * 5 * redirectBytes) / 1e6;
  const files = ["control.db", "control.db-wal"].map((name) => join(dataDir, name));
  const fileMb = files.filter(existsSync).reduce((sum, file) => sum + statSync(file).size, 0) / 1e6;
  const seconds = (performance.now() - started) / 1_000;
  process.stdout.write(
    `${registrations} registrations of ${sentMb.toFixed(0)} MB in ${seconds.toFixed(1)} s: ` +
      `control.db has ${fileMb.toFixed(1)} MB\n`,
  );
  expect(fileMb).toBeLessThan(fileMbMax);
});

import { afterAll, beforeAll, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { connect } from "node:tls";
import { login } from "../support/server/account";
import { makePair } from "../support/server/certificates";
import {
  freePort,
  launch,
  removeFolder,
  runCommand,
  type Server,
  setupToken,
  temporaryFolder,
} from "../support/server/server";
import { eventually } from "../support/suite/eventually";

const folder = temporaryFolder();
const dataDir = join(folder, "data");
const port = freePort();
const url = `https://localhost:${port}`;
const files = {
  TLS_CERT_FILE: join(folder, "cert.pem"),
  TLS_KEY_FILE: join(folder, "key.pem"),
};
const tls = { rejectUnauthorized: false };
let server: Server;

function place({ cert, key }: { readonly cert: string; readonly key: string }): void {
  writeFileSync(files.TLS_CERT_FILE, cert);
  writeFileSync(files.TLS_KEY_FILE, key);
}
/** The name in the certificate of a new connection. */
const certificateName = (): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect({ port, host: "127.0.0.1", ...tls }, () => {
      resolve(String(socket.getPeerCertificate().subject.CN));
      socket.end();
    });
    socket.on("error", reject);
  });

/** Sets the server up as its page does. */
async function keyOfFirstAccount(): Promise<string> {
  const body = JSON.stringify({ ...login, setup_token: setupToken });
  const own = { origin: url };
  const made = await fetch(`${url}/auth/setup`, { method: "POST", headers: own, body, tls });
  const set = made.headers.get("set-cookie") ?? "";
  expect(set).toStartWith("__Host-sl_session=host_");
  const headers = { ...own, cookie: set.split(";")[0] ?? "" };
  const answer = await fetch(`${url}/account/api-key`, { method: "POST", headers, tls });
  const { api_key }: { api_key: string } = JSON.parse(await answer.text());
  return api_key;
}

/** Opens the socket of the live page. */
function openSocket(headers: Readonly<Record<string, string>>): Promise<WebSocket> {
  const socket = new WebSocket(`wss://localhost:${port}/live/ws?project=shop`, { headers, tls });
  return new Promise((resolve, reject) => {
    socket.addEventListener("open", () => resolve(socket));
    socket.addEventListener("close", ({ code }) => reject(new Error(`It closed with ${code}.`)));
  });
}

/** Sends a ping. Returns the pong. */
function pongOf(socket: WebSocket): Promise<string> {
  const answered = new Promise<string>((resolve) => {
    socket.addEventListener("message", ({ data }) => {
      if (String(data).includes("pong")) resolve(String(data));
    });
  });
  socket.send(JSON.stringify({ type: "ping" }));
  return answered;
}

beforeAll(async () => {
  place(makePair(folder, "first", 10));
  // `::` takes connections of IPv4 too.
  server = launch({ dataDir, env: { ...files, HOST: "::", PORT: String(port) } });
  await eventually(async () => expect((await fetch(`${url}/health/ready`, { tls })).ok).toBe(true));
});
afterAll(async () => {
  expect(await server.stop()).toBe(0);
  removeFolder(folder);
});

test("PORT speaks https, on addresses of both kinds, and health finds it", async () => {
  await eventually(() => expect(server.output()).toContain(`answers on port ${port}: ${url}\n`));
  for (const host of ["127.0.0.1", "[::1]"]) {
    expect((await fetch(`https://${host}:${port}/health`, { tls })).status).toBe(200);
  }
  const health = await runCommand(["health"], { dataDir, env: files });
  expect(health.output).toBe(`The server at https://[::1]:${port} is ready.\n`);
  expect(health.exitCode).toBe(0);
});

test("TLS 1.2 and 1.3 are spoken, and nothing before", () => {
  const speaks = (version: string): boolean =>
    Bun.spawnSync(
      [
        ...["openssl", "s_client", "-connect", `127.0.0.1:${port}`, version],
        ...["-cipher", "ALL:@SECLEVEL=0"],
      ],
      { stdin: "ignore" },
    ).success;
  expect(["-tls1_1", "-tls1_2", "-tls1_3"].map(speaks)).toEqual([false, true, true]);
});

test("doctor and /metrics say when the certificate ends", async () => {
  const { exitCode, output } = await runCommand(["doctor"], { dataDir, env: files });
  expect([exitCode, output]).toEqual([
    1,
    expect.stringMatching(/problem {2}certificate: .* 9 days are left/),
  ]);
  const metrics = await (await fetch(`${url}/metrics`, { tls })).text();
  const left = /^sightline_tls_expires_seconds (\d+)$/m.exec(metrics)?.[1];
  expect(Number(left)).toBeWithin(9 * 86_400, 10 * 86_400 + 1);
});

test("a new pair serves new connections, and a socket that is open stays", async () => {
  const key = await keyOfFirstAccount();
  const headers = { "x-api-key": key };
  const body = JSON.stringify({ name: "shop", domain: "shop.example.com" });
  const made = await fetch(`${url}/projects`, { method: "POST", headers, body, tls });
  expect(made.status).toBe(201);
  const stream = await fetch(`${url}/stream?project=shop`, { headers, tls });
  expect([stream.status, await certificateName()]).toEqual([200, "first"]);
  const socket = await openSocket(headers);

  const second = makePair(folder, "second", 30);
  place({ ...second, key: "half a key" });
  server.process.kill("SIGHUP");
  await eventually(() => expect(server.output()).toContain("the new certificate is not used"));
  expect(await certificateName()).toBe("first");
  place(second);
  server.process.kill("SIGHUP");
  await eventually(async () => expect(await certificateName()).toBe("second"));
  expect(server.output()).not.toContain("half a key");
  // Earlier connections go on: the stream has not ended.
  const reader = stream.body?.getReader();
  const ended = await Promise.race([
    reader?.closed.then(
      () => "ended",
      () => "failed",
    ),
    Bun.sleep(500).then(() => "open"),
  ]);
  expect(ended).toBe("open");
  await reader?.cancel();
  // A WebSocket goes on as well, and new ones open.
  expect(socket.readyState).toBe(WebSocket.OPEN);
  expect(await pongOf(socket)).toContain('"pong"');
  for (const one of [socket, await openSocket(headers)]) one.close();
});

test("a second server on the same port is refused", async () => {
  const other = {
    dataDir: join(folder, "other"),
    env: { ...files, HOST: "::", PORT: String(port) },
  };
  const { exitCode, output } = await runCommand(["serve"], other);
  expect([exitCode, output]).toEqual([
    1,
    expect.stringContaining(`Another program uses port ${port}`),
  ]);
});

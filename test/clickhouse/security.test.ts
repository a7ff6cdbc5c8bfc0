import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { replaceLogWriter } from "../../src/lib/log";
import { ClickHouse } from "../../src/store/clickhouse/client";
import { migrate } from "../../src/store/clickhouse/migrate";
import { openClickHouseStore } from "../../src/store/clickhouse/store";
import { removeUnseen } from "../../src/store/clickhouse/writer/sweep";
import { numbers, projectId } from "../support/engine/event-store";
import { exampleReads } from "../support/world/example-reads";
import { type Network, startNetwork } from "./network";
import { onFatal, placeAt } from "./place";
import { documentedRights, rightsOf } from "./rights";
import { startClickHouse, type TestClickHouse } from "./server-process";
import { codeOf, storedNumbers, upTo } from "./stored-numbers";

let clickhouse: TestClickHouse;
let network: Network;
let folder = "";
const logged: string[] = [];
let undoLog: () => void;
beforeAll(async () => {
  undoLog = replaceLogWriter((line) => void logged.push(line));
  clickhouse = await startClickHouse();
  network = await startNetwork(clickhouse.url);
  folder = mkdtempSync(join(tmpdir(), "sightline-clickhouse-tls-"));
});
afterAll(async () => {
  network.close();
  await clickhouse.close();
  rmSync(folder, { recursive: true, force: true });
  undoLog();
});

const place = placeAt("", "security");

/** A self-made certificate for the host `localhost`, and its key. */
function certificate(name: string): { readonly key: string; readonly cert: string } {
  const [key, cert] = ["key", "certificate"].map((part) => join(folder, `${name}-${part}.pem`));
  const made = Bun.spawnSync([
    ...["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"],
    ...["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"],
    ...["-keyout", key, "-out", cert],
  ]);
  expect(made.success).toBe(true);
  return { key: readFileSync(key, "utf8"), cert: readFileSync(cert, "utf8") };
}

test("over TLS only a server with a certificate that is trusted, and of its name, is told anything", async () => {
  const own = certificate("own");
  const { cert: foreign } = certificate("foreign");
  let asked = 0;
  const proxy = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    tls: own,
    fetch: async (request) => {
      asked++;
      const { pathname, search } = new URL(request.url);
      const { method, headers } = request;
      const body = await request.bytes();
      return fetch(clickhouse.url + pathname + search, { method, headers, body });
    },
  });
  const open = (host: string, certificates: string | null) => {
    const url = `https://${host}:${proxy.port}`;
    return openClickHouseStore({ ...place, url, certificates, onFatal });
  };
  const refusal = (host: string, certificates: string | null): Promise<unknown> =>
    open(host, certificates).then(
      () => "",
      ({ message }: Error) => message,
    );
  try {
    const wanted = (host: string): RegExp =>
      new RegExp(`the certificate of https://${host}:\\d+ is not trusted \\([A-Z_]+\\)`);
    expect(await refusal("localhost", null)).toMatch(wanted("localhost"));
    expect(await refusal("localhost", foreign)).toMatch(wanted("localhost"));
    expect(await refusal("127.0.0.1", own.cert)).toMatch(wanted("127.0.0.1"));
    expect(asked).toBe(0);
    const store = await open("localhost", own.cert);
    expect(await store.append([numbers(0, 10)])).toEqual({ stored: 10 });
    expect(await storedNumbers(store)).toEqual(upTo(10));
    await store.close();
    expect(asked).toBeGreaterThan(0);
  } finally {
    await proxy.stop(true);
  }
});

test("a wrong password is refused at the start, and is in no message and no log", async () => {
  network.fate = () => ({ refusedWith: 516 });
  const password = "a secret of this test";
  const options = { ...place, url: network.url, password, user: "ann", onFatal };
  const message = await openClickHouseStore(options).then(
    () => "",
    (error: Error) => error.message,
  );
  expect(message).toContain(
    'refuses the user "ann" in the database "security" with error code 516',
  );
  expect(message + logged.join("")).not.toContain("secret of this");
});

test.each([225, 999])(
  "the code %d is told as a Keeper that is lost, at the start",
  async (code) => {
    network.fate = () => ({ refusedWith: code });
    const message = await openClickHouseStore({ ...place, url: network.url, onFatal }).then(
      () => "",
      (error: Error) => error.message,
    );
    expect(message).toContain(`has lost its Keeper or ZooKeeper (its code ${code})`);
  },
);

test("the rights that the documentation lists are all that statements need, and each is needed", async () => {
  const asked = new Set<string>();
  const database = "sightline";
  network.fate = (insert, body) => {
    const [, form] = /name="query"\r\n\r\n([\s\S]*?)\r\n--/.exec(body) ?? [];
    for (const right of rightsOf(insert || form || body, database)) asked.add(right);
    return "pass";
  };
  const options = placeAt(network.url, database);
  let store = await openClickHouseStore({ ...options, onFatal });
  const identity = { kind: "identity", projectId, receivedAtMs: Date.now() } as const;
  await store.append([
    numbers(0, 10),
    { ...identity, previousId: "phone", userId: "ann", traits: { plan: "pro" }, emails: [] },
  ]);
  expect(await storedNumbers(store)).toEqual(upTo(10));
  const request = {
    ...{ accountId: "account", signal: new AbortController().signal },
    arrivedAtMs: Date.now() + 600_000,
  };
  for (const read of exampleReads) {
    await read.ask({
      read: async (of, input) => JSON.parse((await store.read(of, input, request)).json),
    });
  }
  await store.unlink(projectId, "phone", null);
  await store.receivedEvents("2026-01-01", "2100-01-01");
  await store.erasures.erase(projectId, ["ann"]);
  await store.erasures.clean();
  await store.forget(projectId, 1_000);
  await store.purge(projectId);
  const nothing = { projects: new Map(), linked: new Set<number>(), versions: new Map() };
  await removeUnseen(new ClickHouse(options), { ...nothing, lastTicket: 0, lastCommit: 0 });
  await store.close();
  expect([...asked].sort()).toEqual(documentedRights().alone);

  // Tables that are there and up to date need no right to make any.
  asked.clear();
  await migrate(new ClickHouse(options));
  store = await openClickHouseStore({ ...options, onFatal });
  expect(await codeOf(store.append([numbers(0, 1)]))).toBe(null);
  await store.close();
  expect([...asked].sort()).toEqual(["INSERT on sightline.*", "SELECT on sightline.*"]);
});

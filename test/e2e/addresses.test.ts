import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import {
  automatedAgent,
  createProject,
  type Project,
  setUpAccount,
  userAgent,
} from "../support/server/account";
import { Connection, requestText } from "../support/server/connection";
import {
  ask,
  removeFolder,
  runCommand,
  type Server,
  startServer,
  temporaryFolder,
} from "../support/server/server";
import {
  formsOf,
  type Trace,
  tracesIn,
  tracesInFiles,
  tracesInValues,
} from "../support/server/traces";

/**
 * Addresses that a site or a caller sends where addresses belong are nowhere afterwards: not in a file of the data
 * folder while the server runs, after it was killed or stopped, nor in a backup, a temporary file or the log.
 */
const random = () => Math.random().toString(36).slice(2).padEnd(12, "0").slice(0, 12);
const secret = `q${random()}`;
/** Sent where the product promises nothing: it must be found, or the search is worth nothing. */
const stored = `w${random()}`;

let planted = 0;
const wholes: string[] = [];
/** A new address each time, in one case or another. */
function plant(): string {
  const address = `${secret}.${planted++}@${secret}.example`;
  wholes.push(address);
  return planted % 3 === 0 ? ` ${address.toUpperCase()}` : address;
}

const folder = temporaryFolder();
const dataDir = join(folder, "data");
const temporary = join(folder, "temporary");
const env = { TMPDIR: temporary, SQLITE_TMPDIR: temporary, DURABILITY: "normal" };
let server: Server;
let key = "";
let shop: Project;
let logged = "";

beforeAll(async () => {
  mkdirSync(temporary);
  server = await startServer({ dataDir, env });
  key = await setUpAccount(server.url);
  shop = await createProject(server.url, key, "shop");
  await createProject(server.url, key, "blog");
  await post("/portfolios", { slug: "ours", name: "Ours", projects: ["shop", "blog"] }, 201);
  await identifyPeople();
  await trackEvents();
  await readPeople();
  await refusedOnes();
});
afterAll(() => removeFolder(folder));

async function post(path: string, body: object, status: number, headers = {}): Promise<string> {
  const sent = { "X-API-Key": key, "User-Agent": userAgent, ...headers };
  const reply = await ask(server.url, "POST", path, sent, body);
  expect([path, reply.status, reply.body]).toEqual([path, status, reply.body]);
  return reply.body;
}

/** Hides a word under every key that names an address, at any depth. */
const hiding = (): Record<string, unknown> => ({
  email: plant(),
  userEmail: plant(),
  EMAIL_ADDRESS: [plant(), [plant()], { deeper: plant() }],
  contact: { email: plant(), list: [{ "e-mail": "kept" }, { work_email: { any: [plant()] } }] },
  mail: stored,
});

async function identifyPeople(): Promise<void> {
  const { token } = shop;
  const send = (body: object, headers = {}) => post("/identify", { token, ...body }, 202, headers);
  const link = { previous_id: "anon", user_id: "ada" };
  await send({ ...link, traits: hiding() });
  await send({ previous_id: "ada", user_id: "ada", traits: { email: known } });
  await send({ ...link, traits: hiding() }, { "User-Agent": automatedAgent });
}
/** One that is found again. */
const known = plant();

async function trackEvents(): Promise<void> {
  const { token } = shop;
  await post("/track", { token, event: "signup", user_id: "ada", properties: hiding() }, 202);
  // Enough of them that they become columns.
  for (let batch = 0; batch < 40; batch++) {
    const events = Array.from({ length: 100 }, (_, index) => ({
      event: "visit",
      user_id: "ada",
      properties: { ...(index % 10 === 0 ? hiding() : {}), n: index, noise: random() },
    }));
    await post("/track/batch", { token, events }, 202);
  }
  const automated = { "User-Agent": automatedAgent };
  await post("/track", { token, event: "signup", properties: hiding() }, 202, automated);
  // A key may be spelled with escapes, a text sent twice, a body have spaces anywhere.
  const key = "\\u0065\\u006DA\\u0069l";
  const properties = `{ "${key}" : "${plant()}", "a": { "${key}": ["${plant()}"], "email": 1 },
    "email": "${plant()}", "email": "${plant()}", "b": [{ "my ${key}": "${plant()}" }] }`;
  const event = `{ "token": "${token}", "event": "spelled", "user_id": "ada", "properties": ${properties} }`;
  const traits = `{"token":"${token}","previous_id":"a","user_id":"b","traits":${properties}}`;
  await postText("/track", event, 202);
  await postText("/track/batch", `{"events":[${event},${event}]}`, 202);
  await postText("/identify", traits, 202);
}

async function postText(path: string, text: string, status: number): Promise<void> {
  const connection = await Connection.open(server.url);
  const headers = { "X-API-Key": key, "User-Agent": userAgent };
  const reply = await connection.send(requestText("POST", path, headers, text));
  expect([path, reply.status, reply.body]).toEqual([path, status, reply.body]);
  connection.close();
}

async function readPeople(): Promise<void> {
  for (const path of ["/events/lookup", "/events", "/journey/lookup", "/journey", "/query"]) {
    const body = { project: "shop", email: plant() };
    await post(path, body, 200);
    await post(path, { ...body, deeper: { email: plant() } }, 400);
    await post(path, { ...body, project: plant() }, 404);
    await post(path, { ...body, email: `not one: ${plant()}` }, 400);
    await post(path, { ...body, since: plant(), date_from: plant() }, 400);
    await post(path, body, 401, { "X-API-Key": "aak_wrong" });
  }
  const found = JSON.parse(await post("/query", { project: "blog", email: known }, 200));
  expect(found.rows).toEqual([{ event_count: 0 }]);
  const journey = await post("/journey", { project: "blog", email: known, limit: 1 }, 200);
  expect(JSON.parse(journey)).toMatchObject({ matched_user_ids: ["ada", "anon"], count: 1 });
}

async function refusedOnes(): Promise<void> {
  const { token } = shop;
  const properties = hiding();
  await post("/track", { token, event: "", properties }, 400);
  await post("/track", { token: "aat_wrong", event: "a", properties }, 401);
  await post("/track", { token, event: "a", properties }, 403, { Origin: "https://evil.example" });
  await post("/track", { token, event: "a", properties: { email: plant().repeat(500) } }, 400);
  await post("/track/batch", { token, events: [{ event: "a", properties }, { event: 7 }] }, 400);
  await post("/identify", { token, previous_id: "a", traits: hiding() }, 400);
  await post("/identify", { token, previous_id: "a", user_id: "a", traits: [plant()] }, 400);
  for (const path of ["/track", "/identify", "/query", "/journey"]) {
    await postText(path, `{"token":"${token}","traits":{"email":"${plant()}"`, 400);
  }
  const connection = await Connection.open(server.url);
  for (const path of ["/events", "/journey", "/stats", "/nowhere"]) {
    const query = `?project=shop&email=${encodeURIComponent(plant())}&user_email=${plant().trim()}`;
    const headers = { "X-API-Key": key };
    await connection.send(requestText("GET", `${path}${query}`, headers, ""));
  }
  connection.close();
}

async function untilCompacted(): Promise<void> {
  const database = new Database(join(dataDir, "events.db"), { readonly: true });
  const columns = database.query(
    "select 1 from segment where encoding = 'columns' and retired_at is null",
  );
  while (columns.get() === null) await Bun.sleep(50);
  database.close();
}

/** Searches for a word in the files themselves, and in what SQLite reads out of the databases there. */
function tracesOf(word: string, within: string, whole: readonly string[] = []): Trace[] {
  const forms = formsOf(word, whole);
  const databases = ["events.db", "control.db"].map((name) => join(within, name));
  return [
    ...tracesInFiles(within, forms),
    ...databases.flatMap((file) => tracesInValues(file, forms)),
    ...tracesInFiles(temporary, forms),
    ...tracesIn(`${logged}${server.output()}`, forms, "the log"),
  ];
}

const hashed = () => [known.trim().toLowerCase(), ...wholes.slice(0, 20)];

describe("an address that was told or asked for is", () => {
  test("in no file while the server runs, columns included", async () => {
    await untilCompacted();
    expect(tracesOf(secret, dataDir, hashed())).toEqual([]);
    const forms = tracesOf(stored, dataDir);
    expect(forms).toContainEqual({ where: join(dataDir, "events.db-wal"), form: "plain" });
    const where = `${join(dataDir, "events.db")}: segment_column, unpacked`;
    expect(forms).toContainEqual({ where, form: "plain" });
  });

  test("in no backup", async () => {
    const target = join(folder, "backup");
    const { exitCode, output } = await runCommand(["backup", target], { dataDir, env });
    expect([exitCode, output]).toEqual([0, output]);
    logged += output;
    expect(tracesOf(secret, target, hashed())).toEqual([]);
    expect(tracesOf(stored, target)).not.toEqual([]);
  });

  test("in no file that a killed server leaves, and none that a stopped one leaves", async () => {
    logged += server.output();
    await server.kill();
    expect(tracesOf(secret, dataDir, hashed())).toEqual([]);
    server = await startServer({ dataDir, env });
    const found = JSON.parse(await post("/events", { project: "shop", email: known }, 200));
    expect(found.matched_user_ids).toEqual(["ada", "anon"]);
    logged += server.output();
    expect(await server.stop()).toBe(0);
    expect(tracesOf(secret, dataDir, hashed())).toEqual([]);
    expect(tracesOf(stored, dataDir)).not.toEqual([]);
  });
});

describe("the search finds a word", () => {
  const forms = formsOf("ada1815", ["ada1815@example.org"]);
  const utf16 = Buffer.from("xADA1815", "utf16le");
  test.each([
    ["in any case", "..aDa1815.."],
    ["in UTF-16", utf16],
    ["in UTF-16, big end first", Buffer.from(utf16).swap16()],
    ["percent-encoded", "%61%64%61%31%38%31%35"],
    ["percent-encoded in upper case", "%41%44%41%31%38%31%35"],
    ["escaped", "\\u0061\\u0064\\u0061\\u0031\\u0038\\u0031\\u0035"],
    ["as hexadecimal digits", Buffer.from("xxada1815").toString("hex")],
    ["in base64", Buffer.from("ada1815@").toString("base64")],
    ["in base64, one on", Buffer.from("xada1815@").toString("base64")],
    ["in base64, two on", Buffer.from("xxada1815@").toString("base64url")],
    ["hashed", new Bun.CryptoHasher("sha256").update("ada1815@example.org").digest("hex")],
    ["as a raw hash", new Bun.CryptoHasher("md5").update("ada1815@example.org").digest()],
  ])("%s", (_, bytes) => {
    expect(tracesIn(typeof bytes === "string" ? bytes : Buffer.from(bytes), forms, "")).not.toEqual(
      [],
    );
  });
  test("and no other", () => expect(tracesIn("ada 1815, ada1816", forms, "")).toEqual([]));
});

import { Database } from "bun:sqlite";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { minuteMs } from "../../src/lib/clock";
import { type ArchivedFile, archiveOf } from "../../src/release/archive";
import { version } from "../../src/version";
import { noonMs } from "../support/app/app";
import { setUpAccount } from "../support/server/account";
import { removeFolder, startServer, temporaryFolder } from "../support/server/server";
import { pathFromRoot } from "../support/suite/sources";
import { type HttpCalls, httpCalls } from "./http-calls";
import {
  lasting,
  questionsFor,
  type Recorded,
  type RecordedAnswer,
  recordedFile,
} from "./recorded";
import { fillWorld } from "./world";

/**
 * Writes test/upgrade/VERSION.tar.gz: a data folder of the executable with something of everything, and what the server
 * answered on it. Each published version has one, which stays: `npm run build && node_modules/.bin/bun
 * test/upgrade/write.ts` on the day on which it is published.
 */
const bytesMax = 200_000;
const waitMsMax = 5 * minuteMs;

const dataDir = temporaryFolder();
const env = { CLOCK_OFFSET_MS: String(noonMs - Date.now()), DEMO_ENABLED: "false" };
const server = await startServer({ dataDir, env });
const recorded = await recordedAnswers().finally(() => server.stop());
const archive = archiveOf(
  [...files(), fileOf(recordedFile, JSON.stringify(recorded))],
  noonMs / 1_000,
);
removeFolder(dataDir);
if (archive.length > bytesMax) throw new Error(`${archive.length} bytes are too many.`);
writeFileSync(pathFromRoot(`test/upgrade/${version}.tar.gz`), archive);
process.stdout.write(`${version}: ${archive.length} bytes, ${recorded.answers.length} answers\n`);

async function recordedAnswers(): Promise<Recorded> {
  const key = await setUpAccount(server.url);
  const calls = httpCalls(server.url, key);
  await fillWorld(calls, noonMs);
  await until("segments are written, and the recording is sealed", () => {
    const isSealed = countIn("replays.db", "replay where is_sealed = 1") === 1;
    return isSealed && countIn("events.db", "segment where retired_at is null") > 0;
  });
  const { experiments } = await calls.get("/experiments?project=shop");
  const [{ id }] = experiments as readonly { id: string }[];
  return ask(calls, key, id);
}

async function ask(calls: HttpCalls, key: string, experimentId: string): Promise<Recorded> {
  const nowMs = Date.now() + Number(env.CLOCK_OFFSET_MS);
  const answers: RecordedAnswer[] = [];
  for (const question of questionsFor(experimentId)) {
    const answer = await calls.send(question.method, question.path, { body: question.body });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${question.method} ${question.path}: ${text}`);
    answers.push({ ...question, answer: lasting(JSON.parse(text)) });
  }
  return { version, key, nowMs, answers };
}

async function until(what: string, isSo: () => boolean): Promise<void> {
  for (const endMs = Date.now() + waitMsMax; !isSo(); ) {
    if (Date.now() > endMs) throw new Error(`It is not so that ${what}.`);
    await Bun.sleep(500);
  }
}

function countIn(file: string, rows: string): number {
  const db = new Database(join(dataDir, file), { readonly: true });
  try {
    return Number(db.query(`select count(*) from ${rows}`).values()[0]?.[0]);
  } finally {
    db.close();
  }
}

function files(): readonly ArchivedFile[] {
  return readdirSync(dataDir, { recursive: true, encoding: "utf8" })
    .map((name) => join(dataDir, name))
    .filter((path) => statSync(path).isFile() && statSync(path).size > 0)
    .map((path) => fileOf(relative(dataDir, path), readFileSync(path)));
}

function fileOf(path: string, bytes: Uint8Array | string): ArchivedFile {
  return { path, bytes: Buffer.from(bytes), isExecutable: false };
}

import { afterAll, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isoDate } from "../../src/domain/event";
import { dayMs, hourMs, minuteMs } from "../../src/lib/clock";
import { timesIn } from "../support/app/archived";
import { randomFrom, randomSeed } from "../support/random/random";
import { createProject, read, setUpAccount, userAgent } from "../support/server/account";
import {
  ask,
  removeFolder,
  type Server,
  startServer,
  temporaryFolder,
} from "../support/server/server";

const kills = 4;
const dates = 24;
const eventsPerDate = 100;
/** A run takes longer than this for a date. */
const killedAfterMsMax = 150;

const random = randomFrom(randomSeed());
const dataDir = temporaryFolder();
const archiveDir = temporaryFolder();
afterAll(() => {
  removeFolder(dataDir);
  removeFolder(archiveDir);
});

/** Noon of the day before yesterday. Between it and the next noon lies one run of retention. */
const noonMs = Math.floor(Date.now() / dayMs) * dayMs - 2 * dayMs + 12 * hourMs;
const start = (timeMs: number): Promise<Server> =>
  startServer({
    dataDir,
    env: { CLOCK_OFFSET_MS: String(timeMs - Date.now()), ARCHIVE_DIR: archiveDir },
  });

interface ArchivedFile {
  readonly date: string;
  readonly events: number;
  readonly bytes: number;
  readonly sha256: string;
}

test("kill -9 while dates are archived: each event is in the store or in a file, and once", async () => {
  process.stdout.write(`kill -9 of the archive: SEED=${random.seed}\n`);
  const first = await start(noonMs);
  const key = await setUpAccount(first.url);
  const shop = await createProject(first.url, key, "shop");
  const headers = { "X-API-Key": key, "User-Agent": userAgent };
  const times = Array.from({ length: dates * eventsPerDate }, (_, at) => {
    const daysAgo = Math.floor(at / eventsPerDate);
    return noonMs - daysAgo * dayMs - (at % eventsPerDate) * minuteMs;
  });
  for (let at = 0; at < times.length; at += eventsPerDate) {
    const events = times.slice(at, at + eventsPerDate).map((timestamp) => ({
      ...{ event: "visit", token: shop.token, user_id: "u1", session_id: "s1", timestamp },
    }));
    const answer = await ask(first.url, "POST", "/track/batch", headers, { events });
    expect(answer.status).toBe(202);
  }
  const change = { retention_days: 2, archive: true, fold: false };
  const changed = await ask(first.url, "PATCH", `/projects/${shop.id}`, headers, change);
  expect(changed.status).toBe(200);
  expect(await first.stop()).toBe(0);

  const folder = join(archiveDir, shop.id);
  const filesNow = (): string[] =>
    existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".zst")) : [];
  for (let round = 0; round < kills; round++) {
    const before = filesNow().length;
    const server = await start(noonMs + dayMs);
    for (let waits = 0; filesNow().length === before && waits < 3_000; waits++) await Bun.sleep(2);
    await Bun.sleep(random.below(killedAfterMsMax));
    await server.kill();
  }
  const killedAt = filesNow().length;
  process.stdout.write(`the kills left ${killedAt} of ${dates - 2} files\n`);

  const last = await start(noonMs + dayMs);
  const keptFrom = isoDate(Math.floor(noonMs / dayMs) - 1);
  for (let waits = 0; waits < 3_000; waits++) {
    const { retained_from } = await read<{ retained_from: string }>(
      ...([last.url, key, `/projects/${shop.id}`] as const),
    );
    if (retained_from >= keptFrom) break;
    await Bun.sleep(10);
  }
  const { files } = await read<{ files: readonly ArchivedFile[] }>(
    ...([last.url, key, `/projects/${shop.id}/archive`] as const),
  );
  const exported = await ask(last.url, "GET", "/export?project=shop", headers);
  const left = exported.body.trimEnd().split("\n").slice(1, -1);
  expect(await last.stop()).toBe(0);

  const archived = files.map(({ date, events, bytes, sha256 }) => {
    const file = readFileSync(join(folder, `${date}.jsonl.zst`));
    const digest = createHash("sha256").update(file).digest("hex");
    expect([date, bytes, sha256]).toEqual([date, file.length, digest]);
    expect([date, timesIn([file]).length]).toEqual([date, events]);
    return file;
  });
  expect(filesNow()).toHaveLength(files.length);
  const stored = left.map((line): number => JSON.parse(line).timestamp);
  const all = [...timesIn(archived), ...stored].sort((a, b) => a - b);
  expect(all).toEqual(times.toSorted((a, b) => a - b));
  expect(stored.length).toBeLessThan(times.length);
  expect(killedAt).toBeLessThan(files.length);
}, 180_000);

import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  chmodSync,
  cpSync,
  existsSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import {
  createProject,
  type Project,
  read,
  setUpAccount,
  userAgent,
} from "../support/server/account";
import { Connection, requestText } from "../support/server/connection";
import {
  ask,
  removeFolder,
  runCommand,
  startServer,
  temporaryFolder,
} from "../support/server/server";
import { framesOf, type WalFrame } from "./wal";

const events = 60;
const folder = temporaryFolder();
const killed = join(folder, "killed");
const stopped = join(folder, "stopped");
let key = "";
let project: Project;

beforeAll(async () => {
  const server = await startServer({ dataDir: killed });
  key = await setUpAccount(server.url);
  project = await createProject(server.url, key, "damaged");
  const connection = await Connection.open(server.url);
  // One after the other, so that each is a commit of its own.
  for (let number = 1; number <= events; number++) {
    const body = { token: project.token, event: "step", properties: { number } };
    const headers = { "User-Agent": userAgent };
    const reply = await connection.send(
      requestText("POST", "/track", headers, JSON.stringify(body)),
    );
    expect(reply.status).toBe(202);
  }
  await server.kill();
  cpSync(killed, stopped, { recursive: true });
  const again = await startServer({ dataDir: stopped });
  expect(await again.stop()).toBe(0);
});
afterAll(() => removeFolder(folder));

describe("the log of the events file", () => {
  test("cut within its last commits: what was whole before the cut is served", async () => {
    await expectPrefixServed("cut", (wal, { startsAt }) => truncateSync(wal, startsAt + 100));
  });

  test("with one flipped bit: what was whole before it is served", async () => {
    await expectPrefixServed("flipped", (wal, { startsAt }) => {
      const bytes = readFileSync(wal);
      bytes[startsAt + 2_000] ^= 1;
      writeFileSync(wal, bytes);
    });
  });

  test("whole after kill -9: everything is served and nothing is said", async () => {
    const { shown, output } = await served(copyOf(killed, "whole"));
    expect(shown).toEqual(Array.from({ length: events }, (_, index) => index + 1));
    expect(linesAbout(output, "unused")).toEqual([]);
  });
});

describe("a data folder that this user may not write to", () => {
  /** Root may write everywhere, unless it gives that up. */
  const wrapper =
    process.getuid?.() === 0 ? ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] : [];

  test("nor read: every command says so in one sentence, and exits 1", async () => {
    const parent = join(folder, "of-root");
    const inner = join(parent, "data");
    cpSync(stopped, inner, { recursive: true });
    for (const [dataDir, closed] of [
      [inner, inner],
      [inner, parent],
    ] as const) {
      chmodSync(closed, 0o000);
      for (const parameters of [
        ["serve"],
        ["doctor"],
        ["backup", join(folder, "none")],
        ["setup", "--email", "thief@example.com"],
        ["password", "--email", "thief@example.com"],
      ]) {
        const { exitCode, output } = await runCommand(parameters, { dataDir, wrapper });
        expect([parameters, exitCode]).toEqual([parameters, 1]);
        const sentences = linesAbout(output, "This user cannot read and write").filter((line) =>
          line.includes("(EACCES)"),
        );
        expect([parameters, sentences.length]).toEqual([parameters, 1]);
        expect(output).not.toMatch(/no data|does not exist|at .*:\d+/i);
        if (parameters[0] !== "doctor") expect(output.trim().split("\n")).toEqual(sentences);
      }
      chmodSync(closed, 0o755);
    }
    expect(existsSync(join(folder, "none"))).toBe(false);
  });

  test("is told as such and never as damage, by every command", async () => {
    const dataDir = copyOf(stopped, "locked");
    for (const [path, mode] of [
      [dataDir, 0o555],
      [join(dataDir, "events.db"), 0o444],
    ] as const) {
      chmodSync(path, mode);
      for (const parameters of [
        ...[["serve"], ["serve", "--check"], ["doctor"], ["backup", join(folder, "none")]],
        ...[["password", "--email", "a@example.com"], ["clock"], ["clock", "--accept"]],
      ]) {
        const { exitCode, output } = await runCommand(parameters, { dataDir, wrapper });
        expect([parameters, exitCode]).toEqual([parameters, 1]);
        expect(output).toMatch(/cannot write to/);
        expect(output).not.toMatch(/damage|SQLite|restore|at .*:\d+/i);
        if (parameters[0] === "doctor") {
          expect(output.match(/^problem {2}.*(?=:.*cannot)/gm)).toEqual(["problem  data folder"]);
          expect(output.match(/^problem/gm)).toHaveLength(1);
        }
      }
      chmodSync(path, 0o755);
    }
    expect(existsSync(join(folder, "none"))).toBe(false);
    const again = await startServer({ dataDir });
    expect(await again.stop()).toBe(0);
  });
});

/** Damages a frame in the middle of the log, and expects the events of the whole commits before it. */
async function expectPrefixServed(name: string, damage: (wal: string, frame: WalFrame) => void) {
  const dataDir = copyOf(killed, name);
  const wal = join(dataDir, "events.db-wal");
  const frames = framesOf(readFileSync(wal));
  const damaged = frames[Math.floor(frames.length * 0.7)];
  const expected = eventsBefore(damaged);
  expect(expected).toBeGreaterThan(events / 4);
  expect(expected).toBeLessThan(events);

  damage(wal, damaged);
  const { shown, output } = await served(dataDir);
  expect(shown).toEqual(Array.from({ length: expected }, (_, index) => index + 1));
  expect(linesAbout(output, "unused").length).toBe(1);
}

/** What SQLite itself finds in a log that ends before the frame. */
function eventsBefore({ startsAt }: WalFrame): number {
  const dataDir = copyOf(killed, `before-${startsAt}-${crypto.randomUUID()}`);
  truncateSync(join(dataDir, "events.db-wal"), startsAt);
  const database = new Database(join(dataDir, "events.db"));
  const found = database
    .query<{ events: number }, []>(
      "select sum(event_count) as events from segment where retired_at is null",
    )
    .get();
  database.close();
  return found?.events ?? 0;
}

async function served(dataDir: string): Promise<{ shown: unknown[]; output: string }> {
  const server = await startServer({ dataDir });
  const page = await read<{ events: { properties: { number: number } }[] }>(
    server.url,
    key,
    `/events?project=${project.name}&limit=1000`,
  );
  await server.stop();
  const shown = page.events.map((row) => row.properties.number).sort((a, b) => a - b);
  return { shown, output: server.output() };
}

describe("a damaged database file", () => {
  const damages: readonly (readonly [what: string, damage: (bytes: Buffer) => void])[] = [
    ["its first page overwritten", (bytes) => void bytes.fill(0xa5, 0, 4_096)],
    ["its tables overwritten", (bytes) => void bytes.fill(0xa5, 100, 4_096)],
    ["something else in its place", (bytes) => void bytes.fill("not a database\n")],
  ];
  for (const file of ["events.db", "control.db"]) {
    for (const [what, damage] of damages) {
      test(`${file}, ${what}: refused, by name, and left as it is`, async () => {
        const dataDir = copyOf(stopped, `${file}-${what.replaceAll(" ", "-")}`);
        const bytes = readFileSync(join(dataDir, file));
        damage(bytes);
        writeFileSync(join(dataDir, file), bytes);

        const { exitCode, output } = await runCommand(["serve"], { dataDir, env: anyPort });
        expect(exitCode).toBe(1);
        expect(linesAbout(output, file).length).toBe(1);
        expect(output).toMatch(/backup/i);
        expect(readFileSync(join(dataDir, file)).equals(bytes)).toBe(true);
      });
    }
  }
});

describe("a data folder that lacks a database", () => {
  for (const [name, other] of [
    ["events.db", "control.db"],
    ["control.db", "events.db"],
  ] as const) {
    test(`${name}: refused by every command, which makes nothing in its place`, async () => {
      const dataDir = copyOf(stopped, `without-${name}`);
      rmSync(join(dataDir, name));
      for (const parameters of [
        ["serve"],
        ["setup", "--email", "thief@example.com"],
        ["doctor"],
        ["backup", join(folder, "of-half")],
      ]) {
        const { exitCode, output } = await runCommand(parameters, { dataDir, env: anyPort });
        expect([parameters, exitCode]).toEqual([parameters, 1]);
        expect(output).toContain(`${join(dataDir, name)} is missing, but ${dataDir}`);
        expect(output).toContain(join(dataDir, other));
      }
      expect(existsSync(join(dataDir, name))).toBe(false);
      expect(existsSync(join(folder, "of-half"))).toBe(false);
    });
  }
});

describe("one data folder", () => {
  test("is for one process: the second says so and leaves the first alone", async () => {
    const dataDir = copyOf(stopped, "shared");
    const first = await startServer({ dataDir });
    const second = await runCommand(["serve"], { dataDir, env: anyPort });
    expect(second.exitCode).toBe(1);
    expect(second.output).toMatch(/in use|already|another/i);
    expect((await ask(first.url, "GET", "/health/ready")).status).toBe(200);
    await first.kill();
    // The operating system lets go of the lock of a process that died.
    const third = await startServer({ dataDir });
    expect(await third.stop()).toBe(0);
  });

  for (const file of ["events.db", "control.db"]) {
    test(`with a ${file} of a newer version is refused and left as it is`, async () => {
      const dataDir = copyOf(stopped, `newer-${file}`);
      const database = new Database(join(dataDir, file));
      database.run(
        "insert into __drizzle_migrations (hash, created_at) values ('of a later version', 99999999999999)",
      );
      database.close();
      const bytes = readFileSync(join(dataDir, file));
      const { exitCode, output } = await runCommand(["serve"], { dataDir, env: anyPort });
      expect(exitCode).toBe(1);
      expect(linesAbout(output, file).length).toBe(1);
      expect(output).toMatch(/newer/i);
      expect(readFileSync(join(dataDir, file)).equals(bytes)).toBe(true);
    });
  }
});

const anyPort = { PORT: "0" };
const linesAbout = (output: string, what: string): string[] =>
  output.split("\n").filter((line) => line.includes(what));

function copyOf(original: string, name: string): string {
  const copy = join(folder, name);
  cpSync(original, copy, { recursive: true });
  return copy;
}

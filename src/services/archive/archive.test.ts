import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type Json,
  noonMs,
  type TestApp,
  type TestProject,
  testApp,
} from "../../../test/support/app/app";
import {
  eventAt,
  failingPlace,
  linesOf,
  placeOf,
  type Step,
  timesIn,
} from "../../../test/support/app/archived";
import { committed } from "../../../test/support/app/imports";
import { isoDate, type ObjectEvent } from "../../domain/event";
import type { Deps } from "../../http/deps";
import { forgetOldEvents } from "../../jobs";
import { dayMs, hourMs, minuteMs } from "../../lib/clock";
import { ObjectCodec, WrongKey } from "../../store/backups/object-codec";
import type { Target } from "../../store/backups/target";
import { archivedFilesOf } from "../../store/control/archived-files";
import { auditEntry } from "../../store/control/audit-tables";
import type { EventStore } from "../../store/port";
import { RetentionRun } from "../retention";
import { Archive } from "./archive";
import { archivePlaceOf } from "./place";

const today = Math.floor(noonMs / dayMs);
const key = "a key of thirty-two characters or more";
let folder: string;
let app: TestApp;
let shop: TestProject;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "archive-"));
  app = await testApp({ ARCHIVE_DIR: folder });
  shop = await projectWith("shop", 6);
});
afterEach(async () => {
  await app.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A project with two events on each of the last dates, which stores three dates and archives the others. */
async function projectWith(name: string, dates: number): Promise<TestProject> {
  const project = await app.makeProject(name);
  const events = Array.from({ length: 2 * dates }, (_, at) =>
    eventAt((today - Math.floor(at / 2)) * dayMs + at),
  );
  await append(project, events);
  await patch(project, { retention_days: 2, archive: true, fold: false });
  return project;
}
const append = ({ id }: TestProject, events: readonly ObjectEvent[]) =>
  app.deps.store.append([{ kind: "events", projectId: id, receivedAtMs: noonMs, events }]);
async function patch({ id }: TestProject, body: Json): Promise<Json & { readonly status: number }> {
  const response = await app.send("PATCH", `/projects/${id}`, { key: app.key, body });
  return { ...((await response.json()) as Json), status: response.status };
}
const of = ({ id }: TestProject) => app.get(`/projects/${id}`);
interface Listed {
  readonly date: string;
  readonly events: number;
  readonly bytes: number;
  readonly sha256: string;
}
const listed = async ({ id }: TestProject) =>
  (await app.get(`/projects/${id}/archive`)).files as readonly Listed[];
/** The run of the next 03:00 UTC, some time after it. */
const runAt = async (afterMs: number, deps: Parameters<typeof forgetOldEvents>[0] = app.deps) => {
  const nowMs = today * dayMs + dayMs + 3 * hourMs + afterMs;
  app.setTime(nowMs);
  return forgetOldEvents(deps, nowMs);
};
const read = ({ id }: TestProject, name: string): Uint8Array =>
  readFileSync(join(folder, id, name));
const filesOf = ({ id }: TestProject): string[] => readdirSync(join(folder, id)).sort();
/** The times of the events that are before the dates which are stored. */
const oldTimes = Array.from({ length: 12 }, (_, at) => (today - Math.floor(at / 2)) * dayMs + at)
  .filter((timeMs) => timeMs < (today - 1) * dayMs)
  .sort((a, b) => a - b);

describe("a run of retention", () => {
  test("writes each date to a file as GET /export has it, then deletes it", async () => {
    await patch(shop, { fold: true });
    const exported = await app.send("GET", `/export?project=shop&until=${isoDate(today - 2)}`, {
      key: app.key,
    });
    const wanted = (await exported.text()).trimEnd().split("\n").slice(1, -1);
    expect(await runAt(0)).toBe("finished");
    expect(await of(shop)).toMatchObject({
      ...{ total_events: 4, retained_from: isoDate(today - 1), archive_failing: false },
    });
    expect(filesOf(shop)).toEqual([5, 4, 3, 2].map((days) => `${isoDate(today - days)}.jsonl.zst`));
    const files = filesOf(shop).map((name) => read(shop, name));
    expect(files.flatMap((file) => linesOf(file).slice(1, -1))).toEqual(
      expect.arrayContaining(wanted.map((line) => JSON.parse(line))),
    );
    expect(timesIn(files)).toEqual(oldTimes);
    for (const { date, events, bytes, sha256 } of await listed(shop)) {
      const file = read(shop, `${date}.jsonl.zst`);
      const digest = new Bun.CryptoHasher("sha256").update(file).digest("hex");
      expect([events, bytes, sha256]).toEqual([2, file.length, digest]);
    }
    const { totals } = await app.get("/history?project=shop");
    expect(totals).toMatchObject({ days: 4, events: 8 });
    expect((await listed(shop)).map(({ date }) => date)).toEqual(
      [2, 3, 4, 5].map((days) => isoDate(today - days)),
    );
  });

  test("deletes nothing while a file cannot be written, and says so until one can", async () => {
    rmSync(folder, { recursive: true });
    writeFileSync(folder, "a file where the folder was");
    expect(await runAt(0)).toBe("unfinished");
    expect(await of(shop)).toMatchObject({ total_events: 12, archive_failing: true });
    expect(await listed(shop)).toEqual([]);
    await app.deps.serverLooks.run();
    expect(app.deps.conditions.holding.map(({ kind }) => kind)).toEqual(["archive"]);
    rmSync(folder);
    // The place is left alone for a while.
    expect(await runAt(minuteMs)).toBe("unfinished");
    expect(await of(shop)).toMatchObject({ total_events: 12, archive_failing: true });
    expect(await runAt(11 * minuteMs)).toBe("finished");
    expect(await of(shop)).toMatchObject({ total_events: 4, archive_failing: false });
    await app.deps.serverLooks.run();
    expect(app.deps.conditions.holding).toEqual([]);
    expect(timesIn(filesOf(shop).map((name) => read(shop, name)))).toEqual(oldTimes);
  });

  test("of a project that fails leaves the others alone", async () => {
    writeFileSync(join(folder, shop.id), "a file where the folder would be");
    const other = await app.makeProject("other");
    await append(other, [eventAt((today - 9) * dayMs), eventAt(today * dayMs)]);
    await patch(other, { retention_days: 2 });
    expect(await runAt(0)).toBe("unfinished");
    expect(await of(shop)).toMatchObject({ total_events: 12, archive_failing: true });
    expect(await of(other)).toMatchObject({ total_events: 1 });
  });

  test("without archive writes nothing", async () => {
    await patch(shop, { archive: false });
    expect(await runAt(0)).toBe("finished");
    expect(await of(shop)).toMatchObject({ total_events: 4, archive: false });
    expect(readdirSync(folder)).toEqual([]);
  });
});

/** The server's parts, of which one step fails, as at a kill: before it is done or after. */
function killedAt(place: number) {
  const { store, control, config, disk } = app.deps;
  let steps = 0;
  const step: Step = async (work) => {
    if (steps++ === place) throw new Error("killed before a step");
    const done = await work();
    if (steps++ === place) throw new Error("killed after a step");
    return done;
  };
  const failing: EventStore = Object.create(store, {
    forget: { value: (id: string, ms: number) => step(() => store.forget(id, ms)) },
  });
  const archive = new Archive({ control, store, disk, place: failingPlace(placeOf(config), step) });
  return { ...app.deps, store: failing, archive };
}
test("wherever a run is killed, nothing is lost and nothing is there twice", async () => {
  for (let place = 0; ; place++) {
    const project = await projectWith(`killed${place}`, 4);
    const wanted = [...oldTimes.slice(-4)];
    const runOf = (deps: Pick<Deps, "store" | "control" | "archive">) =>
      new RetentionRun(deps, () => false).forget(project.id, (today - 1) * dayMs);
    const isKilled = await runOf(killedAt(place))
      .then((isWhole) => !isWhole)
      .catch(() => true);
    // An event that arrives for a date whose file was written already.
    const { retained_from } = await of(project);
    const late = (today - 2) * dayMs + 5_000;
    if (String(retained_from) < isoDate(today - 1)) {
      await append(project, [eventAt(late)]);
      wanted.push(late);
    }
    expect(await runOf(app.deps)).toBe(true);
    const files = filesOf(project).map((name) => read(project, name));
    expect({ place, times: timesIn(files) }).toEqual({
      place,
      times: wanted.sort((a, b) => a - b),
    });
    expect(await of(project)).toMatchObject({ total_events: 4 });
    const rows = archivedFilesOf(app.deps.control, project.id);
    expect(rows.map(({ events }) => events).reduce((sum, one) => sum + one)).toBe(wanted.length);
    if (!isKilled) break;
    expect(place).toBeLessThan(40);
  }
});

test("events that come back after a wrong clock do not replace the file of their date", async () => {
  await runAt(0);
  const before = filesOf(shop).map((name) => read(shop, name));
  await app.deps.store.showAgain(0, 0);
  await append(shop, [eventAt((today - 5) * dayMs + 9_000)]);
  await runAt(hourMs);
  expect(filesOf(shop)).toContain(`${isoDate(today - 5)}-2.jsonl.zst`);
  const names = filesOf(shop).filter((name) => !name.includes("-2.jsonl"));
  expect(names.map((name) => read(shop, name))).toEqual(before);
});

test("an event that arrives while its date is written is in the file too", async () => {
  const lateMs = (today - 5) * dayMs + 7_000;
  let hasArrived = false;
  const step: Step = async (work) => {
    if (!hasArrived) await append(shop, [eventAt(lateMs)]);
    hasArrived = true;
    return work();
  };
  const { control, store, config, disk } = app.deps;
  const archive = new Archive({ control, store, disk, place: failingPlace(placeOf(config), step) });
  expect(await runAt(0, { ...app.deps, archive })).toBe("finished");
  expect(timesIn([read(shop, `${isoDate(today - 5)}.jsonl.zst`)])).toContain(lateMs);
  expect((await listed(shop)).at(-1)).toMatchObject({ date: isoDate(today - 5), events: 3 });
});

test("a target that does not store what it takes is found out before anything is deleted", async () => {
  const place = placeOf(app.deps.config);
  const { target } = place;
  const lossy: Target = {
    put: (name, bytes) => target.put(name, bytes.subarray(1)),
    get: (name) => target.get(name),
    list: (prefix) => target.list(prefix),
    remove: (name) => target.remove(name),
  };
  const { control, store, disk } = app.deps;
  const archive = new Archive({ control, store, disk, place: { ...place, target: lossy } });
  expect(await runAt(0, { ...app.deps, archive })).toBe("unfinished");
  expect(await of(shop)).toMatchObject({ total_events: 12, archive_failing: true });
  expect(await listed(shop)).toEqual([]);
});

test("a file can be imported into another project", async () => {
  await runAt(0);
  const elsewhere = await app.makeProject("elsewhere");
  for (const name of filesOf(shop)) await committed(app, elsewhere, read(shop, name));
  const { lines } = await allLines(elsewhere);
  expect(lines.map(({ timestamp }) => timestamp)).toEqual(oldTimes);
});
async function allLines(project: TestProject): Promise<{ readonly lines: readonly Json[] }> {
  const response = await app.send("GET", `/export?project=${project.id}`, { key: app.key });
  const lines = (await response.text()).trimEnd().split("\n").slice(1, -1);
  const events: Json[] = lines.map((line) => JSON.parse(line));
  return { lines: events.sort((a, b) => Number(a.timestamp) - Number(b.timestamp)) };
}

describe("PATCH archive", () => {
  test("needs a place", async () => {
    const other = await testApp();
    const { id } = await other.makeProject("site");
    const change = { key: other.key, body: { archive: true } };
    const response = await other.send("PATCH", `/projects/${id}`, change);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      ...{ field: "archive", message: expect.stringContaining("ARCHIVE_DIR") },
    });
    await other.close();
  });

  test("is in the audit log where it changed", async () => {
    await patch(shop, { archive: true });
    await patch(shop, { archive: false });
    const entries = app.deps.control.db.select().from(auditEntry).all();
    const changes = entries.filter(({ action }) => action === "retention_changed");
    expect(changes.map(({ details }) => details)).toEqual([
      { retention_days: 2, before: null, archive: true },
      { archive: false },
    ]);
  });
});

test("with BACKUP_URL and BACKUP_KEY files are encrypted, and open with the key alone", async () => {
  const place = archivePlaceOf({
    ...{ archiveDir: null, dataDir: app.dataDir },
    backups: {
      ...{ place: { kind: "folder", folder }, key, everyMs: 1, keepMs: 1, pointsMs: 1 },
      ...{ drill: "off", drillDir: folder },
    },
  });
  const { control, store, disk } = app.deps;
  expect(place?.prefix).toBe("archive/");
  await runAt(0, { ...app.deps, archive: new Archive({ control, store, disk, place }) });
  const name = `${isoDate(today - 5)}.jsonl.zst`;
  const sealed = readFileSync(join(folder, "archive", shop.id, name));
  expect(() => Bun.zstdDecompressSync(sealed)).toThrow();
  expect(linesOf(new ObjectCodec(key).openFile(sealed))).toHaveLength(4);
  for (const wrong of [null, `${key}!`])
    expect(() => new ObjectCodec(wrong).openFile(sealed)).toThrow(WrongKey);
});

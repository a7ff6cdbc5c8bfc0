import { afterEach, beforeEach, expect, test } from "bun:test";
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { noonMs, type TestApp, type TestProject, testApp } from "../../../test/support/app/app";
import { eventAt, killedErasures, linesOf, placeOf } from "../../../test/support/app/archived";
import { committed } from "../../../test/support/app/imports";
import { erasedPerson } from "../../../test/support/app/people";
import { isoDate, type ObjectEvent } from "../../domain/event";
import { forgetOldEvents } from "../../jobs";
import { dayMs, hourMs, minuteMs } from "../../lib/clock";
import { ObjectCodec } from "../../store/backups/object-codec";
import type { Target } from "../../store/backups/target";
import { archiveErasure } from "../../store/control/erasure-tables";
import { archivedFile } from "../../store/control/retention-tables";
import { Erasures } from "../erasures";
import { Archive } from "./archive";
import { ArchiveErasures } from "./archive-erasures";
import type { ArchivePlace } from "./place";

const today = Math.floor(noonMs / dayMs);
const gone = "Zz9-gone";
let folder: string;
let app: TestApp;
let place: ArchivePlace;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "archive-"));
  app = await testApp({ ARCHIVE_DIR: folder });
  place = placeOf(app.deps.config);
});
afterEach(async () => {
  await app.close();
  rmSync(folder, { recursive: true, force: true });
});

const event = (day: number, userId: string, at: number): ObjectEvent => ({
  ...eventAt(day * dayMs + at),
  ...{ userId, properties: { note: `note of ${userId}`, user_id: "not this one" } },
});
const append = ({ id }: TestProject, events: readonly ObjectEvent[]) =>
  app.deps.store.append([{ kind: "events", projectId: id, receivedAtMs: noonMs, events }]);

/** The dates of which only the person has events, and those of which somebody else has some too. */
const own = today - 5;
const shared = [today - 2, today - 3, today - 4];
const kept = [today, today - 1];

/** A project of which older dates are archived. */
async function archivedProject(name: string): Promise<TestProject> {
  const project = await app.makeProject(name);
  await append(project, [
    ...[...shared, ...kept].flatMap((day) => [
      ...[event(day, gone, 1), event(day, "stays", 2), event(day, gone, 3)],
    ]),
    event(own, gone, 1),
    event(today - 6, "stays", 1),
  ]);
  const change = { retention_days: 2, archive: true, fold: false };
  await app.send("PATCH", `/projects/${project.id}`, { key: app.key, body: change });
  return project;
}
async function archiveNow(deps: Parameters<typeof forgetOldEvents>[0] = app.deps): Promise<void> {
  const nowMs = (today + 1) * dayMs + 4 * hourMs;
  app.setTime(nowMs);
  expect(await forgetOldEvents(deps, nowMs)).toBe("finished");
}
const listed = async ({ id }: TestProject) =>
  (await app.get(`/projects/${id}/archive`)).files as {
    readonly [name: string]: unknown;
    readonly date: string;
  }[];
const filesOf = ({ id }: TestProject): string[] =>
  existsSync(join(folder, id)) ? readdirSync(join(folder, id)).sort() : [];
const read = ({ id }: TestProject, name: string): Buffer => readFileSync(join(folder, id, name));
/** Everything that the files have, unpacked. */
const textOf = (project: TestProject): string =>
  filesOf(project)
    .map((name) => Buffer.from(Bun.zstdDecompressSync(read(project, name))).toString())
    .join("");
const open = () => app.deps.control.db.select().from(archiveErasure).all();
const goOn = (one = new ArchiveErasures({ control: app.deps.control, place })) =>
  one.goOn(() => false);

/** The list says what the files are, and each of them is whole. */
async function expectTrueList(project: TestProject): Promise<void> {
  const files = filesOf(project).map((name) => {
    const file = read(project, name);
    const lines = linesOf(file);
    expect(lines.at(-1)).toMatchObject({ kind: "end", count: lines.length - 2 });
    const sha256 = new Bun.CryptoHasher("sha256").update(file).digest("hex");
    return { date: name.slice(0, 10), events: lines.length - 2, bytes: file.length, sha256 };
  });
  expect(await listed(project)).toEqual(files.reverse());
}

test("the files of the archive lose an erased person, and nobody else", async () => {
  const shop = await archivedProject("shop");
  const other = await archivedProject("other");
  await archiveNow();
  expect(textOf(shop).split(gone)).toHaveLength(1 + 2 * 7);
  const ofOther = filesOf(other).map((name) => read(other, name));
  const untouched = read(shop, `${isoDate(today - 6)}.jsonl.zst`);
  const { id } = await erasedPerson(app, { project: "shop", user_id: gone });
  app.setTime((today + 1) * dayMs + 5 * hourMs);
  for (let tries = 0; tries < 50 && !(await app.deps.erasures.goOn()); tries++) {
    await Bun.sleep(20);
  }
  expect(await app.get(`/people/erasures/${id}`)).toMatchObject({ state: "done" });
  expect(textOf(shop)).not.toContain(gone);
  await expectTrueList(shop);
  expect((await listed(shop)).map(({ date, events }) => [date, events])).toEqual(
    [...shared, today - 6].map((day) => [isoDate(day), 1]),
  );
  expect(read(shop, `${isoDate(today - 6)}.jsonl.zst`)).toEqual(untouched);
  expect(filesOf(other).map((name) => read(other, name))).toEqual(ofOther);
  expect(open()).toEqual([]);
  const elsewhere = await app.makeProject("elsewhere");
  for (const name of filesOf(shop)) await committed(app, elsewhere, read(shop, name));
  expect(await app.get("/stats?project=elsewhere&since=30d")).toMatchObject({
    totals: { total_events: 4 },
  });
});

test("a person who is in archived files alone can be erased too", async () => {
  const shop = await archivedProject("shop");
  await append(shop, [event(today - 4, "Zz8-long-ago", 9)]);
  await archiveNow();
  expect(textOf(shop)).toContain("Zz8-long-ago");
  const preview = await app.post("/people/erase", { project: "shop", user_id: "Zz8-long-ago" });
  expect(preview).toMatchObject({ ids: 1, events: 0, first_at: null });
  await erasedPerson(app, { project: "shop", user_id: "Zz8-long-ago" });
  await goOn();
  expect(textOf(shop)).not.toContain("Zz8-long-ago");
  expect(textOf(shop)).toContain(gone);
  await app.makeProject("unarchived");
  const body = { project: "unarchived", user_id: "nobody" };
  expect((await app.send("POST", "/people/erase", { key: app.key, body })).status).toBe(404);
});

test("events of the same id that came after the erasure stay", async () => {
  const shop = await archivedProject("shop");
  await erasedPerson(app, { project: "shop", user_id: gone });
  app.setTime(noonMs + minuteMs);
  await append(shop, [event(today - 3, gone, 7)]);
  await archiveNow();
  await goOn();
  expect(
    linesOf(read(shop, `${isoDate(today - 3)}.jsonl.zst`)).map(({ user_id: id }) => id),
  ).toEqual([undefined, "stays", gone, undefined]);
});

test("wherever it is killed, it goes on: no file is lost, and nothing of the person is left", async () => {
  const shop = await archivedProject("shop");
  await archiveNow();
  await erasedPerson(app, { project: "shop", user_id: gone });
  const { db } = app.deps.control;
  const [rows, erasures] = [db.select().from(archivedFile).all(), open()];
  const begin = `${folder}-begin`;
  cpSync(folder, begin, { recursive: true });
  for (let at = 0; ; at++) {
    rmSync(folder, { recursive: true });
    cpSync(begin, folder, { recursive: true });
    db.delete(archivedFile).run();
    db.insert(archivedFile).values(rows).run();
    db.delete(archiveErasure).run();
    db.insert(archiveErasure)
      .values([...erasures])
      .run();
    await goOn(killedErasures(app.deps.control, place, at));
    const isKilled = open().length > 0;
    // A kill leaves no note of what a run has done.
    if (isKilled) db.update(archiveErasure).set({ files: null }).run();
    expect(await goOn()).toBe(true);
    expect({ at, open: open(), isFound: textOf(shop).includes(gone) }).toEqual({
      ...{ at, open: [], isFound: false },
    });
    expect(textOf(shop).split("note of stays")).toHaveLength(1 + 4);
    await expectTrueList(shop);
    if (!isKilled) break;
    expect(at).toBeLessThan(80);
  }
  rmSync(begin, { recursive: true });
});

test("a file that is damaged is left, and the others lose the person", async () => {
  const shop = await archivedProject("shop");
  await archiveNow();
  await erasedPerson(app, { project: "shop", user_id: gone });
  const damaged = join(folder, shop.id, `${isoDate(today - 4)}.jsonl.zst`);
  const whole = readFileSync(damaged);
  writeFileSync(damaged, whole.subarray(0, whole.length - 20));
  const one = new ArchiveErasures({ control: app.deps.control, place });
  for (let at = 0; at < 3; at++) {
    await goOn(one);
    app.setTime(app.deps.control.archiveErasures.all()[0]!.atMs + (at + 1) * hourMs);
  }
  expect(open()).toMatchObject([{ files: [`${isoDate(today - 4)}.jsonl.zst`] }]);
  expect(readFileSync(damaged)).toHaveLength(whole.length - 20);
  writeFileSync(damaged, whole);
  await goOn(one);
  expect(open()).toEqual([]);
  expect(textOf(shop)).not.toContain(gone);
});

test("files that cannot be seen are looked for again, and after a week no more", async () => {
  const shop = await archivedProject("shop");
  await archiveNow();
  await erasedPerson(app, { project: "shop", user_id: gone });
  const at = join(folder, shop.id);
  renameSync(at, `${at}-unmounted`);
  await goOn();
  expect(open()).toHaveLength(1);
  renameSync(`${at}-unmounted`, at);
  await goOn();
  expect([open(), textOf(shop).includes(gone)]).toEqual([[], false]);
  app.setTime(noonMs + 2 * dayMs);
  await append(shop, [event(today, "another", 5)]);
  await erasedPerson(app, { project: "shop", user_id: "another" });
  rmSync(at, { recursive: true });
  await goOn();
  expect(open()).toHaveLength(1);
  app.setTime(noonMs + 10 * dayMs);
  await goOn();
  expect(open()).toEqual([]);
});

test("an erasure is done after its archived files alone where these lie in the data folder", async () => {
  await archivedProject("shop");
  await archiveNow();
  const { id } = await erasedPerson(app, { project: "shop", user_id: gone });
  app.setTime((today + 1) * dayMs + 5 * hourMs);
  const { control, config } = app.deps;
  const { isInDataDir } = placeOf({ ...config, dataDir: dirname(folder) });
  const goOnWith = async (target: Target): Promise<unknown> => {
    const archive = new ArchiveErasures({ control, place: { ...place, target, isInDataDir } });
    const { backups, store, replays, feed, webhooks } = app.deps;
    const parts = { control, backups, store, replays, feed, webhooks, archive };
    const erasures = new Erasures({ ...parts, config });
    for (let tries = 0; tries < 20; tries++) await erasures.goOn();
    return (await app.get(`/people/erasures/${id}`)).state;
  };
  const silent = { ...place.target, list: () => Promise.reject(new Error("no answer")) };
  expect(await goOnWith(silent)).toBe("running");
  expect(await goOnWith(place.target)).toBe("done");
});

test("files that are encrypted with BACKUP_KEY stay so", async () => {
  const codec = new ObjectCodec("a key of thirty-two characters or more");
  place = { ...place, prefix: "archive/", codec };
  const shop = await archivedProject("shop");
  const { control, store, disk } = app.deps;
  await archiveNow({ ...app.deps, archive: new Archive({ control, store, disk, place }) });
  await erasedPerson(app, { project: "shop", user_id: gone });
  await goOn();
  const sealed = readFileSync(join(folder, "archive", shop.id, `${isoDate(today - 3)}.jsonl.zst`));
  expect(() => Bun.zstdDecompressSync(sealed)).toThrow();
  expect(linesOf(codec.openFile(sealed)).map(({ user_id: id }) => id)).toEqual([
    undefined,
    "stays",
    undefined,
  ]);
});

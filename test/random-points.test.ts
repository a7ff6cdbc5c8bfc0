import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { databaseFiles } from "../src/commands/databases";
import { restoreTo } from "../src/commands/restore-to";
import type { EventRow } from "../src/domain/fields";
import { workerThreads } from "../src/open-deps";
import { Catalogue } from "../src/store/backups/catalogue";
import { FolderTarget } from "../src/store/backups/folder-target";
import { ObjectCodec } from "../src/store/backups/object-codec";
import { openInstallation } from "../src/store/installation";
import { appOn, type TestApp, type TestProject, testApp } from "./support/app/app";
import { cases } from "./support/random/cases";
import { type Random, randomFrom, randomSeed } from "./support/random/random";

/** A request to the running server, with the moments between which it took effect. */
interface Sent {
  /** The numbers of its events; none where it gives the second project a name. */
  readonly numbers: readonly number[];
  readonly name: string | null;
  readonly sentAtMs: number;
  answeredAtMs: number;
}

const [restores, connections, pauseMsMax] = [cases(4, 50), 4, 40];
const root = mkdtempSync(join(tmpdir(), "random-points-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

test("random points beside load hold what the running server had stored at their moments", async () => {
  const random = randomFrom(randomSeed());
  const target = join(root, "target");
  const app = await appWithBackups(target);
  const load = new Load(app, random, await app.makeProject("shop"), await app.makeProject("named"));
  const backups = app.deps.backups;
  if (backups === null) throw new Error("BACKUP_URL is set");
  /** The answers of the running server at the points that were made while nothing came in. */
  const answers = new Map<number, unknown>();
  for (let made = 0; made < restores + 4; made++) {
    await load.takes(random.between(3, 12));
    const isQuiet = random.chance(0.5);
    if (isQuiet) await load.pause();
    const { points, lastError } = await backups.run(Date.now);
    expect(lastError).toBeNull();
    if (isQuiet) answers.set(points[0].atMs, await answersOf(app));
    load.resume();
  }
  await load.pause();
  const rows = new Map((await eventsOf(app)).map((row) => [row.properties?.number, row]));
  const catalogue = new Catalogue(new FolderTarget(target), new ObjectCodec(null));
  // The first point may be of before there was an account.
  const points = (await catalogue.points()).filter(({ atMs }) => atMs >= load.begunAtMs);
  expect(points.length).toBeGreaterThan(restores / 2);
  for (let turn = 0; turn < restores; turn++) {
    const momentMs = random.between(points[0].atMs, Date.now());
    const point = points.findLast(({ atMs }) => atMs <= momentMs) ?? points[0];
    const folder = join(root, String(turn));
    await restoreTo(folder, catalogue, point);
    const restored = await appOn(folder, app);
    const found = await eventsOf(restored);
    const about = [random.seed, point.name];
    expect([...about, faultsIn(load.sent, found, await nameIn(restored), point.atMs)]).toEqual([
      ...about,
      [],
    ]);
    // The person of an event is another one once they are identified.
    const unlike = found.filter(
      (row) =>
        JSON.stringify(unnamed(rows.get(row.properties?.number))) !== JSON.stringify(unnamed(row)),
    );
    expect([...about, unlike]).toEqual([...about, []]);
    const known = answers.get(point.atMs);
    if (known !== undefined) {
      expect([...about, await answersOf(restored)]).toEqual([...about, known]);
    }
    await restored.close();
  }
  expect(answers.size).toBeGreaterThan(0);
  await app.close();
}, 300_000);

/**
 * Backups copy databases that belong together, as each start of the server makes them. Their thread is one of its own,
 * whose clock is the machine's.
 */
const appWithBackups = (target: string): Promise<TestApp> =>
  testApp(
    { BACKUP_URL: pathToFileURL(target).href, BACKUP_EVERY_S: "86400" },
    undefined,
    undefined,
    {
      prepare: (dataDir) => openInstallation(dataDir, databaseFiles),
      backups: workerThreads.backups,
    },
  );

/** Connections that always have a request under way. */
class Load {
  readonly sent: Sent[] = [];
  readonly begunAtMs = Date.now();
  #lastNumber = 0;
  #taken = 0;
  #isPaused = true;
  #running: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly app: TestApp,
    private readonly random: Random,
    private readonly shop: TestProject,
    private readonly named: TestProject,
  ) {
    this.resume();
  }

  resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    const run = async (next: () => Promise<void>): Promise<void> => {
      while (!this.#isPaused) await next();
    };
    const lines = Array.from({ length: connections }, () => run(() => this.#track()));
    this.#running = Promise.all([...lines, run(() => this.#rename())]);
  }

  /** Resolves when no request is under way. */
  async pause(): Promise<void> {
    this.#isPaused = true;
    await this.#running;
  }

  /** Resolves when this number of further requests has been answered. */
  async takes(count: number): Promise<void> {
    for (const end = this.#taken + count; this.#taken < end; ) await Bun.sleep(1);
  }

  async #track(): Promise<void> {
    // The load changes something at every point; it does not have to fill the store.
    await Bun.sleep(this.random.below(pauseMsMax));
    const numbers = Array.from({ length: this.random.between(1, 20) }, () => ++this.#lastNumber);
    if (this.random.chance(0.2)) {
      const ids = { previous_id: `p${this.random.below(40)}`, user_id: `u${numbers[0]}` };
      await this.#timed([], null, () =>
        this.app.post("/identify", { token: this.shop.token, ...ids }),
      );
    }
    await this.#timed(numbers, null, () =>
      this.app.track(
        this.shop,
        ...numbers.map((number) => ({
          ...{
            event: `event ${number % 5}`,
            event_id: `n${number}`,
            session_id: `s${number % 60}`,
          },
          ...{ user_id: `p${number % 40}` },
          properties: { number, path: `/page/${number % 9}`, text: "x".repeat(number % 300) },
        })),
      ),
    );
  }

  async #rename(): Promise<void> {
    await Bun.sleep(this.random.below(pauseMsMax));
    const name = `named-${this.sent.length}`;
    await this.#timed([], name, () =>
      this.app.send("PATCH", `/projects/${this.named.id}`, { key: this.app.key, body: { name } }),
    );
  }

  async #timed(
    numbers: readonly number[],
    name: string | null,
    send: () => Promise<unknown>,
  ): Promise<void> {
    const sent = { numbers, name, sentAtMs: Date.now(), answeredAtMs: Number.POSITIVE_INFINITY };
    this.sent.push(sent);
    await send();
    sent.answeredAtMs = Date.now();
    this.#taken += 1;
  }
}

/** Says what a restored point holds that it should not, or lacks that was acknowledged before its moment. */
function faultsIn(
  sent: readonly Sent[],
  rows: readonly EventRow[],
  name: string,
  atMs: number,
): readonly string[] {
  const found = new Set(rows.map((row) => row.properties?.number));
  const faults = found.size === rows.length ? [] : ["an event is there twice"];
  for (const { numbers, sentAtMs, answeredAtMs } of sent) {
    const there = numbers.filter((number) => found.has(number)).length;
    if (there !== 0 && there !== numbers.length) faults.push(`event ${numbers[0]}: half a request`);
    if (answeredAtMs < atMs && there < numbers.length) faults.push(`event ${numbers[0]} is lost`);
    if (sentAtMs > atMs && there > 0) faults.push(`event ${numbers[0]} is of later`);
  }
  // One connection gives the names, one after the other: it is the last before the moment, or the one under way.
  const names = sent.filter((one) => one.name !== null && one.sentAtMs <= atMs);
  const known = names.filter((one) => one.answeredAtMs < atMs).at(-1)?.name ?? "named";
  if (name !== known && name !== names.at(-1)?.name) faults.push(`the name is ${name}`);
  return faults;
}

/** Every stored event, page by page. */
async function eventsOf(app: TestApp): Promise<readonly EventRow[]> {
  const rows: EventRow[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const query = new URLSearchParams({
      project: "shop",
      limit: "1000",
      ...(cursor && { cursor }),
    });
    const page = await app.get(`/events?${query}`);
    rows.push(...(page.events as readonly EventRow[]));
    cursor = page.next_cursor as string | null;
  }
  return rows;
}

async function nameIn(app: TestApp): Promise<string> {
  const { projects } = (await app.get("/projects")) as { projects: readonly { name: string }[] };
  return projects.map(({ name }) => name).find((name) => name !== "shop") ?? "";
}

const unnamed = (row: EventRow | undefined) => ({ ...row, user_id: null });

const questions = [
  ...["/stats?project=shop&since=7d", "/stats?project=shop&since=2d&groupBy=hour"],
  ...["/breakdown?project=shop&property=path", "/sessions?project=shop"],
  ...["/pages?project=shop", "/retention?project=shop&period=day"],
  ...["/properties?project=shop", "/insights?project=shop", "/history?project=shop&since=7d"],
];

/** The answers to many questions. */
async function answersOf(app: TestApp): Promise<unknown> {
  const answers: unknown[] = [];
  for (const path of questions) answers.push([path, await app.get(path)]);
  return answers;
}

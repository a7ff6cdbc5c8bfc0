import { dirname } from "node:path";
import { move } from "../../src/commands/move";
import type { ClickHousePlace } from "../../src/config-clickhouse";
import { clock } from "../../src/lib/clock";
import { ClickHouse } from "../../src/store/clickhouse/client";
import { openClickHouseStore } from "../../src/store/clickhouse/store";
import type { Entry, EventStore, Read } from "../../src/store/port";
import type { Snapshot } from "../../src/store/questions";
import type { Driven } from "../support/driven";
import { Engine, type PlaceInRead, type Sizes } from "../support/engine";
import { ownHosts } from "../support/own-hosts";

let opened = 0;
/** A history is some thousand statements: on a busy machine it takes minutes, and fails by its answers alone. */
export const historyMsMax = 600_000;

/** The store on ClickHouse as a random history drives it, in a database of its own. */
export const openDriven = (url: string): Promise<Driven> => openIn(newPlace(url));

const newPlace = (url: string): ClickHousePlace => ({
  ...{ url, database: `history_${process.pid}_${opened++}` },
  ...{ user: "default", password: "", certificates: null },
});

async function openIn(place: ClickHousePlace): Promise<Driven> {
  const onFatal = (why: string): void => {
    throw new Error(why);
  };
  const open = () => openClickHouseStore({ ...place, onFatal });
  return new DrivenStore(await open(), open, new ClickHouse(place));
}

/**
 * Begins on our own engine. What it has is moved before the read of number `first`, and again before the read of number
 * `second`, when the history goes on in ClickHouse.
 */
export class MovingDriven implements Driven {
  private readonly place: ClickHousePlace;
  private readonly own: Engine;
  private now: Driven;
  private reads = 0;
  meanwhile: Driven["meanwhile"] = () => undefined;

  constructor(
    url: string,
    sizes: Sizes,
    private readonly first: number,
    private readonly second: number,
  ) {
    this.place = newPlace(url);
    this.own = new Engine(sizes);
    this.now = this.own;
  }

  get readsThere(): number {
    return Math.max(0, this.reads - this.second);
  }
  append = (entries: readonly Entry[]) => this.now.append(entries);
  forget = (projectId: string, fromMs: number) => this.now.forget(projectId, fromMs);
  purge = (projectId: string) => this.now.purge(projectId);
  replaceProject = (projectId: string, stagingId: string) =>
    this.now.replaceProject(projectId, stagingId);
  unlink = (projectId: string, previousId: string) => this.now.unlink(projectId, previousId);
  compact = (merges: number) => this.now.compact(merges);
  noteOverlaps = () => this.now.noteOverlaps();
  sweep = () => this.now.sweep();
  restart = () => this.now.restart();
  async read<Input, Output>(read: Read<Input, Output>, input: Input): Promise<Output> {
    this.reads++;
    if (this.reads === this.first || this.reads === this.second) await this.move();
    if (this.reads === this.second) this.now = await openIn(this.place);
    this.now.meanwhile = this.meanwhile;
    return this.now.read(read, input);
  }
  async close(): Promise<void> {
    if (this.now !== this.own) await this.now.close();
    this.own.close();
  }

  private async move(): Promise<void> {
    const config = { clickHouse: this.place, dataDir: dirname(this.own.file) };
    await move(config, ["--to", "clickhouse"], () => undefined);
  }
}

class DrivenStore implements Driven {
  meanwhile: (place: PlaceInRead) => unknown = () => undefined;

  constructor(
    private store: EventStore,
    private readonly open: () => Promise<EventStore>,
    private readonly clickhouse: ClickHouse,
  ) {}

  append = (entries: readonly Entry[]) => this.store.append(entries);
  forget = (projectId: string, fromMs: number) => this.store.forget(projectId, fromMs);
  purge = (projectId: string) => this.store.purge(projectId);
  replaceProject = (projectId: string, stagingId: string) =>
    this.store.replaceProject(projectId, stagingId);
  unlink = (projectId: string, previousId: string, membership: string | null = null) =>
    this.store.unlink(projectId, previousId, membership);
  /** ClickHouse merges parts by itself, and all of them when it is told to. */
  compact = () => this.clickhouse.run(`optimize table ${this.clickhouse.database}.event final`);
  noteOverlaps = () => undefined;
  sweep = () => undefined;
  async restart(): Promise<void> {
    await this.store.close();
    this.store = await this.open();
  }
  async close(): Promise<void> {
    await this.store.close();
    await this.clickhouse.run(`drop database if exists ${this.clickhouse.database} sync`);
  }

  async read<Input, Output>(read: Read<Input, Output>, input: Input): Promise<Output> {
    const { json } = await this.store.read(this.watched(read), input, {
      accountId: "account",
      signal: new AbortController().signal,
      // A machine may be busy: how long reads may take is no matter of these tests.
      arrivedAtMs: clock.nowMs() + historyMsMax,
      ownHosts,
    });
    return JSON.parse(json);
  }

  private watched<Input, Output>(read: Read<Input, Output>): Read<Input, Output> {
    const before = (ask: (...asked: unknown[]) => Promise<unknown>) => {
      return async (...asked: unknown[]): Promise<unknown> => {
        await this.meanwhile("question");
        return ask(...asked);
      };
    };
    return {
      ...read,
      run: (snapshot, input) => {
        const watched = Object.entries(snapshot).map(([name, ask]) => [name, before(ask)]);
        return read.run(Object.fromEntries(watched) as Snapshot, input);
      },
    };
  }
}

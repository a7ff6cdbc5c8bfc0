import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { move } from "../../src/commands/move";
import type { ClickHousePlace } from "../../src/config-clickhouse";
import { type FilterItem, isAnyOf, isDid } from "../../src/domain/filter-items";
import { isVisitorField } from "../../src/domain/visitor-field";
import { clock } from "../../src/lib/clock";
import { ClickHouse } from "../../src/store/clickhouse/client";
import { type ClickHouseStoreOptions, openClickHouseStore } from "../../src/store/clickhouse/store";
import type { Entry, EventStore, Read } from "../../src/store/port";
import type { Snapshot } from "../../src/store/questions";
import type { Driven } from "../support/engine/driven";
import { Engine, type PlaceInRead, type Sizes } from "../support/engine/engine";
import { ownHosts } from "../support/engine/own-hosts";
import type { Question } from "../support/world/questions";
import { onFatal, placeAt } from "./place";

/** A share's filters cannot be about what users did, and take long about their first sessions. */
export const asksWhatUsersDid = ({ narrowedBy = [] }: Question): boolean =>
  narrowedBy.some((item) => (isAnyOf(item) ? item.any.some(isOfUsers) : isOfUsers(item)));
const isOfUsers = (item: FilterItem): boolean =>
  isDid(item) || ("field" in item && isVisitorField(item.field));

let opened = 0;
/** A history is some thousand statements: on a busy machine it takes minutes, and fails by its answers alone. */
export const historyMsMax = 600_000;

/** The store on ClickHouse as a random history drives it, in a database of its own. */
export const openDriven = (url: string, limits: Limits = {}): Promise<Driven> =>
  openIn(newPlace(url), limits);
type Limits = Pick<ClickHouseStoreOptions, "oncePerValuesMax">;

const newPlace = (url: string): ClickHousePlace =>
  placeAt(url, `history_${process.pid}_${opened++}`);

async function openIn(place: ClickHousePlace, limits: Limits = {}): Promise<DrivenStore> {
  const open = () => openClickHouseStore({ ...place, ...limits, onFatal });
  return new DrivenStore(await open(), open, new ClickHouse(place));
}

/** The numbers of the reads before which a store is moved. */
export interface Moves {
  /** The first move, to ClickHouse, where nothing is written yet. */
  readonly first: number;
  /** Another move to ClickHouse, where the history goes on. */
  readonly there: number;
  /** A move to a file, while the store in ClickHouse goes on. */
  readonly aside: number;
  /** Another move to the file, where the history goes on in our own engine. */
  readonly back: number;
}

/** Begins on our own engine, goes on in ClickHouse, and ends on our own engine. */
export class MovingDriven implements Driven {
  private readonly place: ClickHousePlace;
  private readonly folder = mkdtempSync(join(tmpdir(), "sightline-moved-back-"));
  private own: Engine;
  private there: DrivenStore | null = null;
  private reads = 0;
  meanwhile: Driven["meanwhile"] = () => undefined;

  constructor(
    url: string,
    private readonly sizes: Sizes,
    private readonly moves: Moves,
  ) {
    this.place = newPlace(url);
    this.own = new Engine(sizes);
  }

  /** The number of reads in ClickHouse; `readsBack` are those after the way back. */
  get readsThere(): number {
    return Math.max(0, Math.min(this.reads, this.moves.back) - this.moves.there);
  }
  get readsBack(): number {
    return Math.max(0, this.reads - this.moves.back);
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
  async read<Input, Output>(
    read: Read<Input, Output>,
    input: Input,
    narrowedBy: readonly FilterItem[] = [],
  ): Promise<Output> {
    await this.moveBefore(++this.reads);
    this.now.meanwhile = this.meanwhile;
    return this.now.read(read, input, narrowedBy);
  }
  async close(): Promise<void> {
    await this.there?.close();
    this.own.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  private get now(): Driven {
    return this.there ?? this.own;
  }
  private async moveBefore(number: number): Promise<void> {
    const { first, there, aside, back } = this.moves;
    if (number === first || number === there) {
      await this.move("clickhouse", dirname(this.own.file));
    }
    if (number === there) this.there = await openIn(this.place);
    // The store goes on and keeps its lease, so that the file stays without its name.
    if (number === aside) await this.move("file", this.folder);
    if (number !== back) return;
    await this.there?.leave();
    await this.move("file", this.folder);
    await this.there?.drop();
    this.there = null;
    this.own.close();
    this.own = new Engine(this.sizes, join(this.folder, "events.db"));
  }
  private async move(to: "clickhouse" | "file", dataDir: string): Promise<void> {
    await move({ clickHouse: this.place, dataDir }, ["--to", to], () => undefined);
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
    await this.leave();
    await this.drop();
  }
  leave(): Promise<void> {
    return this.store.close();
  }
  async drop(): Promise<void> {
    await this.clickhouse.run(`drop database if exists ${this.clickhouse.database} sync`);
  }

  async read<Input, Output>(
    read: Read<Input, Output>,
    input: Input,
    narrowedBy: readonly FilterItem[] = [],
  ): Promise<Output> {
    const { json } = await this.store.read(this.watched(read), input, {
      accountId: "account",
      signal: new AbortController().signal,
      // A machine may be busy: how long reads may take is no matter of these tests.
      arrivedAtMs: clock.nowMs() + historyMsMax,
      ownHosts,
      narrowedBy,
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

import { clock } from "../../src/lib/clock";
import { ClickHouse } from "../../src/store/clickhouse/client";
import { openClickHouseStore } from "../../src/store/clickhouse/store";
import type { Entry, EventStore, Read } from "../../src/store/port";
import type { Snapshot } from "../../src/store/questions";
import type { Driven } from "../support/driven";
import type { PlaceInRead } from "../support/engine";
import { ownHosts } from "../support/own-hosts";

let opened = 0;
const enoughMs = 600_000;

/** The store on ClickHouse as a random history drives it, in a database of its own. */
export async function openDriven(url: string): Promise<Driven> {
  const database = `history_${process.pid}_${opened++}`;
  const place = { url, database, user: "default", password: "", certificates: null };
  const onFatal = (why: string): void => {
    throw new Error(why);
  };
  const open = () => openClickHouseStore({ ...place, onFatal });
  return new DrivenStore(await open(), open, new ClickHouse(place));
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
      arrivedAtMs: clock.nowMs() + enoughMs,
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

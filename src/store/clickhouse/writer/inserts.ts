import { secondMs } from "../../../lib/clock";
import { type ClickHouse, ClickHouseRefused } from "../client";
import type { Insert } from "./commit";
import { insertMsMax, type Owner } from "./owner";

const triesMax = 5;
/** No further try begins after this time, as the sender of the events waits for the answer. */
const triesMsMax = 10 * secondMs;
const firstPauseMs = 100;

/** With these codes ClickHouse says that too few replicas have the insert, or that it waits for another insert. */
const quorumUnknown = 319;
const quorumOfAnother = 286;

/** Each insert sets these explicitly, as a server may have other defaults. */
const insertSettings = {
  insert_deduplicate: 1,
  max_execution_time: insertMsMax / secondMs,
};

/** Tries inserts again when they fail, unless another process writes. */
export class Inserts {
  readonly figures = { count: 0, seconds: 0, retries: 0 };

  constructor(
    private readonly clickhouse: ClickHouse,
    private readonly owner: Owner,
  ) {}

  async all(inserts: readonly Insert[], attempt: string): Promise<void> {
    // A table takes one insert with a quorum at a time.
    const ofTables = [...Map.groupBy(inserts, ({ table }) => table).values()];
    await Promise.all(
      ofTables.map(async (own) => {
        for (const insert of own) await this.one(insert, attempt);
      }),
    );
  }

  /**
   * Sends the same bytes with the same token until they are known to be stored; ClickHouse keeps them once. An
   * unfinished quorum is that of this insert only if an earlier try has waited for one. Otherwise another insert left
   * it, whose rows may appear once a replica is back: the writer has to look for them before it stores anything.
   */
  async one({ table, part, rows }: Insert, attempt: string): Promise<void> {
    const into = `${this.clickhouse.database}.${table}`;
    const settings = {
      ...insertSettings,
      insert_deduplication_token: `${attempt} ${table} ${part}`,
    };
    this.figures.count++;
    const startedAt = performance.now();
    let waitedForQuorum = false;
    for (let tries = 1; ; tries++) {
      try {
        await this.timed(this.clickhouse.insert(into, rows.done(), settings));
        return;
      } catch (error) {
        const code = error instanceof ClickHouseRefused ? error.code : 0;
        if (code === quorumUnknown) waitedForQuorum = true;
        if (code === quorumOfAnother && !waitedForQuorum) throw error;
        if (tries === triesMax || performance.now() - startedAt > triesMsMax) throw error;
        this.figures.retries++;
        await Bun.sleep(firstPauseMs * 2 ** (tries - 1));
        await this.owner.check();
      }
    }
  }
  private async timed(insert: Promise<void>): Promise<void> {
    const startedAt = performance.now();
    try {
      await insert;
    } finally {
      this.figures.seconds += (performance.now() - startedAt) / secondMs;
    }
  }
}

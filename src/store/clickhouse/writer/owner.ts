import { randomUUID } from "node:crypto";
import { clock, secondMs } from "../../../lib/clock";
import type { ClickHouse } from "../client";
import { RowBinary } from "../row-binary";

/** For longer no insert goes on at ClickHouse: after it what was left of one can be taken away. */
export const insertMsMax = 10 * secondMs;
/** What another process has begun has ended by then: it looks whether it may write before each insert. */
const takeOverMs = insertMsMax + secondMs;
/** Nobody writes. */
const nobody = "";

/** Another process writes to this database: this one must not any more. */
export class OwnerLost extends Error {
  constructor() {
    super("Another process writes to this database of ClickHouse.");
    this.name = "OwnerLost";
  }
}

/**
 * That one process writes. The one that came last does; the other finds its own name gone, and stops. It looks before
 * it inserts, and again before it acknowledges: the new one reads what was committed after it has noted its name, so
 * what the old one still acknowledged is there. A process that halts for `takeOverMs` between a look and an insert can
 * leave rows behind: two servers on one database are to be avoided, not relied on.
 *
 * A server that was killed had no time to let go. The next one waits as long for what it may have begun.
 */
export class Owner {
  private readonly name = randomUUID();

  constructor(private readonly clickhouse: ClickHouse) {}

  async take(): Promise<void> {
    const before = await this.current();
    await this.note(this.name);
    if (before !== nobody) await Bun.sleep(takeOverMs);
    await this.check();
  }
  async check(): Promise<void> {
    if ((await this.current()) !== this.name) throw new OwnerLost();
  }
  async letGo(): Promise<void> {
    if ((await this.current()) === this.name) await this.note(nobody);
  }

  private async current(): Promise<string> {
    const [row] = await this.clickhouse.rows<{ owner: string }>(
      `select argMax(owner, since) as owner from ${this.clickhouse.database}.writer`,
    );
    return row.owner;
  }
  private async note(owner: string): Promise<void> {
    const [{ last }] = await this.clickhouse.rows<{ last: number }>(
      `select max(since) as last from ${this.clickhouse.database}.writer`,
    );
    const since = Math.max(clock.nowMs(), last + 1);
    const rows = new RowBinary().text(owner).int64(since).done();
    await this.clickhouse.insert(`${this.clickhouse.database}.writer`, rows, { async_insert: 0 });
  }
}

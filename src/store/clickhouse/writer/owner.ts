/*
 * The lease is a row that is counted up.
 * Decision: who writes is the last name in `writer`; its owner counts its row of `lease` up every 2 s, and a standby
 * takes over when it has seen no other number for 10 s.
 * Because: ClickHouse has no lock, no condition on an insert, and its clock is not ours: a number needs none.
 * Cost: some 25 s without a server after a kill: 10 s of lease, 11 s for what may still be stored, and the start.
 * A name and an insert are two steps, so a process that halts between them for 11 s can leave rows behind.
 * Revisit: with a database beside it that locks, such as PostgreSQL.
 */

import { randomUUID } from "node:crypto";
import { clock, secondMs } from "../../../lib/clock";
import { describeFault } from "../../../lib/fault";
import { log } from "../../../lib/log";
import { type ClickHouse, ClickHouseRefused } from "../client";
import { RowBinary } from "../row-binary";

/** ClickHouse executes no insert for longer. After this time the rows that one has left can be removed. */
export const insertMsMax = 10 * secondMs;
/** An insert of another process has ended by then, as a process checks before each that it may write. */
const takeOverMs = insertMsMax + secondMs;
const renewEveryMs = 2 * secondMs;
/** An owner that has not renewed its lease for this time has ended, or cannot reach ClickHouse. */
const leaseMs = 10 * secondMs;
const lookEveryMs = 500;
/** The name in `writer` while no process writes. */
const nobody = "";
/** With these codes ClickHouse says that a table or a database does not exist. */
const notThere: ReadonlySet<number> = new Set([60, 81]);

/** Another process writes to this database, so that this one must not any more. */
export class OwnerLost extends Error {
  constructor() {
    super("Another process is writing to this ClickHouse database. Stop one of the two.");
    this.name = "OwnerLost";
  }
}

/**
 * Makes sure that one process writes: the one that started last. The process before it finds another name in `writer`,
 * and stops. It checks the name before it inserts, and again before it acknowledges: the new process notes its name
 * before it reads what was committed, so that it sees everything that the old one acknowledged. A process that halts
 * for `takeOverMs` between a check and an insert can leave rows behind, so two servers should not share a database.
 *
 * A server that was killed could not remove its name. The next one waits until none of its inserts can be running.
 */
export class Owner {
  private readonly name = randomUUID();
  private renewals = 0;
  private timer: Timer | null = null;
  private isKept = false;

  constructor(private readonly clickhouse: ClickHouse) {}

  async take(): Promise<void> {
    const before = await ownerOf(this.clickhouse);
    await this.renew();
    await this.note(this.name);
    if (before !== nobody) await Bun.sleep(takeOverMs);
    await this.check();
  }
  async check(): Promise<void> {
    if ((await ownerOf(this.clickhouse)) !== this.name) throw new OwnerLost();
  }
  /** Renews the lease from now on. An idle process learns in this way that it has lost it. */
  keep(onLost: (lost: OwnerLost) => void): void {
    this.isKept = true;
    let isTold = false;
    const again = async (): Promise<void> => {
      try {
        await this.check();
        await this.renew();
        isTold = false;
      } catch (error) {
        if (error instanceof OwnerLost) {
          if (this.isKept) onLost(error);
          return;
        }
        if (!isTold) log("warn", "could not renew the lease on ClickHouse", describeFault(error));
        isTold = true;
      }
      if (this.isKept) this.timer = setTimeout(again, renewEveryMs);
    };
    this.timer = setTimeout(again, renewEveryMs);
  }
  async release(): Promise<void> {
    this.isKept = false;
    if (this.timer !== null) clearTimeout(this.timer);
    if ((await ownerOf(this.clickhouse)) === this.name) await this.note(nobody);
  }

  private async renew(): Promise<void> {
    const rows = new RowBinary()
      .text(this.name)
      .int64(++this.renewals)
      .done();
    await this.clickhouse.insert(`${this.clickhouse.database}.lease`, rows);
  }
  private async note(owner: string): Promise<void> {
    const [{ last }] = await this.clickhouse.rows<{ last: number }>(
      `select max(since) as last from ${this.clickhouse.database}.writer`,
    );
    const since = Math.max(clock.nowMs(), last + 1);
    const rows = new RowBinary().text(owner).int64(since).done();
    await this.clickhouse.insert(`${this.clickhouse.database}.writer`, rows);
  }
}

/**
 * Resolves when nobody writes: the owner has let go, or has not renewed its lease for `leaseMs` by the clock of this
 * process, during which ClickHouse answered. No two clocks are compared.
 */
export async function leaseEnded(clickhouse: ClickHouse, signal: AbortSignal): Promise<void> {
  let seen: string | null = null;
  let sinceMs = 0;
  while (!signal.aborted) {
    const owner = await answered(() => ownerOf(clickhouse), nobody);
    if (owner === nobody) return;
    const renewals = owner === null ? null : await answered(() => renewalsOf(clickhouse, owner), 0);
    // While ClickHouse does not answer, nobody can renew anything.
    const now = renewals === null ? null : `${owner} ${renewals}`;
    if (now === null || now !== seen) sinceMs = performance.now();
    else if (performance.now() - sinceMs >= leaseMs) return;
    seen = now;
    await Bun.sleep(lookEveryMs);
  }
}

/** Returns whether a process writes now. One that was killed does not renew its lease. */
export async function isWrittenTo(clickhouse: ClickHouse): Promise<boolean> {
  const owner = await ownerOf(clickhouse);
  if (owner === nobody) return false;
  const before = await renewalsOf(clickhouse, owner);
  for (let waitedMs = 0; waitedMs < leaseMs; waitedMs += lookEveryMs) {
    await Bun.sleep(lookEveryMs);
    if ((await ownerOf(clickhouse)) !== owner) return true;
    if ((await renewalsOf(clickhouse, owner)) !== before) return true;
  }
  return false;
}

/** Returns null when ClickHouse does not answer, or refuses for the moment. */
async function answered<T>(ask: () => Promise<T>, withoutTables: T): Promise<T | null> {
  try {
    return await ask();
  } catch (error) {
    const isMissing = error instanceof ClickHouseRefused && notThere.has(error.code);
    return isMissing ? withoutTables : null;
  }
}

/** Returns the latest name. Of two from the same time every process sees the same one. */
async function ownerOf(clickhouse: ClickHouse): Promise<string> {
  const [{ owner }] = await clickhouse.rows<{ owner: string }>(
    `select argMax(owner, (since, owner)) as owner from ${clickhouse.database}.writer`,
  );
  return owner;
}
async function renewalsOf(clickhouse: ClickHouse, owner: string): Promise<number> {
  const [{ renewals }] = await clickhouse.rows<{ renewals: number }>(
    `select max(renewals) as renewals from ${clickhouse.database}.lease where owner = {owner:String}`,
    { owner },
  );
  return renewals;
}

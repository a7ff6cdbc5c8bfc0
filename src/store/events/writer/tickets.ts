import type { Database, Statement } from "bun:sqlite";
import { nextTicket } from "../../shared/ticket";
import { lastTicket } from "./stored-time";

const storeTicket = `
  insert into setting (name, value) values ('last_ticket', ?)
  on conflict do update set value = excluded.value`;

/** Assigns tickets. The last one is stored in the transaction of its events, so that tickets ascend after a restart. */
export class Tickets {
  private last: number;
  private readonly store: Statement;

  constructor(db: Database) {
    this.store = db.prepare(storeTicket);
    const row = db.query(lastTicket).get() as { value: string } | null;
    this.last = Number(row?.value ?? 0);
  }

  /** Returns the first of `count` consecutive tickets. */
  take(count: number, nowMs: number): number {
    const first = nextTicket(this.last, nowMs);
    this.last = first + count - 1;
    this.store.run(String(this.last));
    return first;
  }
}

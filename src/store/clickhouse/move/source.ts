import type { ClickHousePlace } from "../../../config-clickhouse";
import type { Snapshot } from "../../questions";
import { StorageRefused } from "../../refused";
import { rowLine } from "../../shared/event-line";
import type { MovedEvent, MovedKey, MovedProject, MovedSender } from "../../shared/moved";
import { ClickHouse } from "../client";
import { migrations, refuseOtherServers, versionOfTables } from "../migrate";
import type { Moment } from "../moment";
import { questionsOf } from "../questions/questions";
import { refusedFor } from "../refused-for";
import { Bound } from "../sql/bound";
import { OpenRead } from "../sql/open-read";
import { propertiesColumns, propertiesText, type StoredProperties } from "../sql/stored-properties";
import { timeMs } from "../sql/values";
import { isWrittenTo, Owner } from "../writer/owner";
import { currentMoment, hashSeed, keysUpTo } from "../writer/state";
import { refuseIfHalfMoved } from "./note";

/** With the longest properties an answer of this many events has some hundred megabytes. */
const eventsPerAnswer = 5_000;

interface EventRow extends StoredProperties {
  readonly ticket: number;
  readonly time_ms: number;
  readonly name: string;
  readonly sender_name: string;
  readonly sender_generation: number;
  readonly session_id: string;
  readonly country: string;
}

/** Returns two columns for a sender: its id, and how often that id had been linked before. */
export function senderColumns(sender: string): string {
  const mark = `position(${sender}, '\\xFF')`;
  return `if(${mark} = 0, ${sender}, substring(${sender}, 1, ${mark} - 1)) as sender_name,
    if(${mark} = 0, 0, toUInt16OrZero(substring(${sender}, ${mark} + 1))) as sender_generation`;
}

/** Reads events from ClickHouse to move them, as they were at one moment. A server may be storing meanwhile. */
export class ClickHouseSource {
  private constructor(
    private readonly place: ClickHousePlace,
    private readonly clickhouse: ClickHouse,
    /** The lease that a move holds when no server writes; null when a server does. */
    private readonly owner: Owner | null,
    readonly moment: Moment,
    readonly hashSeed: bigint,
    /** Questions and people are read with it, at the same moment. */
    readonly read: OpenRead,
  ) {}

  static open(place: ClickHousePlace): Promise<ClickHouseSource> {
    const clickhouse = new ClickHouse(place);
    return refusedFor(place, async () => {
      if ((await versionOfTables(clickhouse)) !== migrations.length) throw notThis(place);
      await refuseOtherServers(clickhouse);
      await refuseIfHalfMoved(clickhouse);
      const owner = (await isWrittenTo(clickhouse)) ? null : new Owner(clickhouse);
      await owner?.take();
      try {
        const moment = await currentMoment(clickhouse);
        const read = new OpenRead(clickhouse, moment);
        const seed = await hashSeed(clickhouse);
        const source = new ClickHouseSource(place, clickhouse, owner, moment, seed, read);
        // A standby server must not mistake a long move for a process that has ended.
        owner?.keep(() => undefined);
        return source;
      } catch (error) {
        await owner?.release();
        throw error;
      }
    });
  }

  get projects(): MovedProject[] {
    return [...this.moment.projects]
      .filter(([, { number }]) => number !== 0)
      .map(([name, { number, retainedFromMs }]) => ({ name, number, retainedFromMs }))
      .toSorted((a, b) => a.number - b.number);
  }
  /** Whether a server stores meanwhile, so that more events will have come than are moved. */
  get isRunning(): boolean {
    return this.owner === null;
  }
  get questions(): Snapshot {
    return questionsOf(this.read);
  }

  /** Throws when another process has begun to write, since this one found none. */
  check(): Promise<void> {
    return refusedFor(this.place, async () => this.owner?.check());
  }
  /** Yields the events that came after a ticket, in the order of tickets. */
  async *events(project: MovedProject, behind: number): AsyncIterable<readonly MovedEvent[]> {
    const lasts = await this.refused(() => this.lastTickets(project, behind));
    const answer = (index: number): Promise<MovedEvent[]> => {
      const from = index === 0 ? behind : lasts[index - 1];
      return this.refused(() => this.eventsBetween(project, from, lasts[index]));
    };
    let next = lasts.length === 0 ? null : answer(0);
    for (let index = 0; next !== null; index++) {
      const events = await next;
      // The next one is asked for while these are written.
      next = index + 1 < lasts.length ? answer(index + 1) : null;
      // What it is rejected with is thrown where it is waited for.
      next?.catch(() => undefined);
      yield events;
    }
  }
  /** Returns the idempotency keys of the last 48 hours. */
  keys(): Promise<MovedKey[]> {
    return this.refused(() => keysUpTo(this.clickhouse, this.moment.lastTicket));
  }
  refused<Answer>(work: () => Promise<Answer>): Promise<Answer> {
    return refusedFor(this.place, work);
  }
  async close(): Promise<void> {
    await this.owner?.release();
  }

  /** Returns the last ticket of each answer. */
  private async lastTickets(project: MovedProject, behind: number): Promise<number[]> {
    const bound = new Bound();
    const rows = await this.read.ask<{ last: number }>(
      `select max(ticket) as last from (
        select ticket, intDiv(row_number() over (order by ticket) - 1, ${eventsPerAnswer}) as answer
        from ${this.eventsSql(bound, project, behind, this.moment.lastTicket)}
      ) group by answer order by last`,
      bound,
    );
    return rows.map(({ last }) => last);
  }
  private async eventsBetween(
    project: MovedProject,
    behind: number,
    to: number,
  ): Promise<MovedEvent[]> {
    const bound = new Bound();
    const rows = await this.read.ask<EventRow>(
      `select ticket, ${timeMs} as time_ms, name, ${senderColumns("sender")}, session_id, country, ${propertiesColumns}
      from ${this.eventsSql(bound, project, behind, to)} order by ticket`,
      bound,
    );
    return rows.map(eventOf);
  }
  private eventsSql(bound: Bound, project: MovedProject, behind: number, to: number): string {
    return `(select * from ${this.clickhouse.database}.event where project = ${bound.integer(project.number)}
      and ticket > ${bound.integer(behind)} and ticket <= ${bound.integer(to)}
      and time >= ${bound.time(project.retainedFromMs)})`;
  }
}

function eventOf(row: EventRow): MovedEvent {
  const orNull = (text: string): string | null => (text === "" ? null : text);
  const sender: MovedSender | null =
    row.sender_name === "" ? null : { name: row.sender_name, generation: row.sender_generation };
  const { time_ms, name, session_id, country } = row;
  return {
    ticket: row.ticket,
    sender,
    line: rowLine(time_ms, name, orNull(session_id), orNull(country), propertiesText(row)),
  };
}

const notThis = ({ database }: ClickHousePlace): StorageRefused =>
  new StorageRefused(
    `The database "${database}" does not have the tables of this version of Sightline. ` +
      "Start the server with them once, or set CLICKHOUSE_DATABASE to another one.",
  );

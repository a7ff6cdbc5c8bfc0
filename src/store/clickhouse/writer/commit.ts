import { dayOf, isoDate } from "../../../domain/event";
import { monthOf } from "../../../domain/month";
import type { Committed, LinkedLine } from "../../shared/append/committed";
import type { WireEvents } from "../../shared/append/wire";
import { sentFieldsOf, timeOfLine } from "../../shared/event-line";
import { nextTicket } from "../../shared/ticket";
import type { Moment, ProjectAt } from "../moment";
import { RowBinary } from "../row-binary";
import type { CommittedTable } from "../tables";
import { bytesOf } from "../text";
import { Links, type Sender } from "./links";
import { noKey } from "./recent-keys";
import { addEvent } from "./rows";
import type { State } from "./state";

interface Fresh {
  readonly events: { readonly line: string; readonly sender: Uint8Array; readonly key: bigint }[];
  firstTicket: number;
}

/** The rows for one table. Those of events have one month, as ClickHouse stores an insert whole only within one. */
export interface Insert {
  readonly table: string;
  readonly part: string;
  readonly rows: RowBinary;
}

/** What one commit gathers. It changes only links and keys of the state, which are read again when it fails. */
export class Commit {
  readonly number: number;
  private readonly inserts = new Map<string, Insert>();
  private readonly rows = new Map<CommittedTable, Map<string, (rows: RowBinary) => void>>();
  private readonly projects: Map<string, ProjectAt>;
  private readonly touched = new Set<string>();
  private readonly linked: Set<number>;
  private readonly fresh = new Map<number, Fresh>();
  private readonly received = new Map<string, [project: number, date: string, events: number]>();
  private readonly repeats: number[] = [];
  private readonly linkedLines: LinkedLine[] = [];
  private nextLine = 0;
  private lastTicket: number;

  constructor(
    readonly state: State,
    private readonly lines: readonly string[],
    readonly nowMs: number,
  ) {
    const { moment } = state;
    this.number = state.usedCommit + 1;
    this.projects = new Map(moment.projects);
    this.linked = new Set(moment.linked);
    this.lastTicket = state.usedTicket;
  }

  /** Notes that reads of the project see something else from this commit on. */
  touch(name: string): void {
    this.touched.add(name);
  }
  find(name: string): ProjectAt | undefined {
    const known = this.projects.get(name);
    return known === undefined || known.number === 0 ? undefined : known;
  }
  /** Returns the project's number, which it gets with the first thing that it sends. No number is used twice. */
  numberOf(name: string): number {
    const known = this.find(name);
    if (known !== undefined) return known.number;
    const number = ++this.state.lastNumber;
    this.place(name, { number, retainedFromMs: 0 });
    return number;
  }
  place(name: string, project: ProjectAt): void {
    this.projects.set(name, project);
    this.put("project", name, (rows) => {
      rows.text(name).int64(project.number).int64(project.retainedFromMs).int64(this.number);
    });
    this.touch(name);
  }
  /** A commit adds one row of a key to a table, which is the last that was put. */
  put(table: CommittedTable, key: string, write: (rows: RowBinary) => void): void {
    const known = this.rows.get(table) ?? new Map<string, (rows: RowBinary) => void>();
    this.rows.set(table, known);
    known.set(key, write);
  }

  /** Takes the lines that belong to the entry, and returns how many are new. */
  addEvents({ projectId: name, receivedAtMs, ...entry }: WireEvents): number {
    const { userIds, eventIds, choosesSessions = false } = entry;
    const project = this.numberOf(name);
    const fresh = this.freshOf(project);
    const before = fresh.events.length;
    const links = this.linksOf(project);
    userIds.forEach((userId, index) => {
      const at = this.nextLine++;
      const line = this.lines[at];
      const eventId = eventIds[index];
      let key: bigint | null = noKey;
      if (eventId !== null) {
        const others = sentFieldsOf(line, userId, choosesSessions);
        key = this.state.keys.accept(project, eventId, others, this.nowMs);
      }
      if (key === null) {
        this.repeats.push(at);
        return;
      }
      fresh.events.push({ line, sender: this.senderOf(links, userId, at), key });
    });
    const count = fresh.events.length - before;
    if (count > 0) {
      const date = isoDate(dayOf(receivedAtMs));
      const counted = this.received.get(`${project} ${date}`);
      this.received.set(`${project} ${date}`, [project, date, (counted?.[2] ?? 0) + count]);
      this.touch(name);
    }
    return count;
  }
  noteLinks(project: number, changed: readonly Sender[]): void {
    for (const sender of changed) {
      const { name, generation } = sender;
      this.put("user_link", JSON.stringify([project, name, generation]), (rows) => {
        const { parent, owner } = sender;
        rows.int64(project).text(name).uint16(generation).raw(sender.bytes).text(owner.name);
        rows.text(parent?.name ?? "").uint16(parent?.generation ?? 0);
        rows.uint8(parent === null ? 0 : 1).int64(this.number);
      });
    }
    if (changed.length > 0) this.linked.add(project);
  }
  linksOf(project: number): Links {
    const links = this.state.links.get(project) ?? new Links();
    this.state.links.set(project, links);
    return links;
  }

  /** Returns the inserts. The marker, for the table `committed`, is sent when all others are stored. */
  finish(): {
    readonly inserts: readonly Insert[];
    readonly marker: Insert;
    readonly moment: Moment;
  } {
    for (const [project, fresh] of this.fresh) this.addTickets(project, fresh);
    for (const [key, [project, date, events]] of this.received) {
      const count = (this.state.received.get(key) ?? 0) + events;
      this.state.received.set(key, count);
      this.put("received_day", key, (rows) => {
        rows.int64(project).text(date).int64(count).int64(this.number);
      });
    }
    for (const [table, writes] of this.rows) {
      const rows = this.rowsOf(table);
      for (const write of writes.values()) write(rows);
    }
    const rows = new RowBinary();
    const { moment } = this.state;
    const versions = new Map(moment.versions);
    for (const name of ["", ...this.touched]) {
      rows.text(name).int64(this.number).int64(this.lastTicket);
      if (name !== "") versions.set(name, this.number);
    }
    return {
      inserts: [...this.inserts.values()].filter((insert) => !insert.rows.isEmpty),
      marker: { table: "committed", part: "", rows },
      moment: {
        projects: this.projects,
        lastTicket: this.lastTicket,
        lastCommit: this.number,
        linked: this.linked,
        versions,
      },
    };
  }
  /** Returns the dates whose counts must be known before `finish`. */
  receivedDates(): { readonly key: string; readonly project: number; readonly date: string }[] {
    return [...this.received].map(([key, [project, date]]) => ({ key, project, date }));
  }

  /** Returns what the senders are answered. It is called after `finish`. */
  committed(stored: readonly number[]): Committed {
    const places = [...this.fresh].flatMap(([project, { firstTicket }]) => [project, firstTicket]);
    return {
      stored: new Uint32Array(stored),
      places: new Float64Array(places),
      repeats: this.repeats.length === 0 ? null : new Uint32Array(this.repeats),
      linked: this.linkedLines.length === 0 ? null : this.linkedLines,
    };
  }

  private rowsOf(table: string, part = ""): RowBinary {
    const key = `${table} ${part}`;
    const known = this.inserts.get(key);
    if (known !== undefined) return known.rows;
    const rows = new RowBinary();
    this.inserts.set(key, { table, part, rows });
    return rows;
  }
  private addTickets(project: number, fresh: Fresh): void {
    if (fresh.events.length === 0) return;
    fresh.firstTicket = nextTicket(this.lastTicket, this.nowMs);
    fresh.events.forEach(({ line, sender, key }, index) => {
      const rows = this.rowsOf("event", monthOf(timeOfLine(line)));
      addEvent(rows, { project, ticket: fresh.firstTicket + index, sender, key, line });
    });
    this.lastTicket = fresh.firstTicket + fresh.events.length - 1;
  }
  /** Returns the sender of an event. An id that is linked to another is noted for the answer. */
  private senderOf(links: Links, userId: string | null, line: number): Uint8Array {
    if (userId === null) return bytesOf("");
    const sender = links.latest(userId);
    if (sender === null) return bytesOf(userId);
    const { name } = sender.owner;
    if (name !== userId) this.linkedLines.push([line, name]);
    return sender.bytes;
  }
  private freshOf(project: number): Fresh {
    const fresh = this.fresh.get(project) ?? { events: [], firstTicket: 0 };
    this.fresh.set(project, fresh);
    return fresh;
  }
}

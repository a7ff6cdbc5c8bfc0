/*
 * What is known of sessions is found column by column.
 * Decision: a table of sessions begins with their numbers. Whether they are bounces, when they began and ended, what
 * was counted in them and whose they are is each found when a read asks for it first; layers of young segments add to
 * the columns that there are, and a column that comes later is told what each layer changed (session-layers.ts).
 * Because: new memory and the columns of visits are half of what a table costs. A read of sessions by one of their
 * fields needs one byte of the 37 that are known of a session.
 * Cost: one loop over the visits for each kind of column where one loop wrote all of them.
 * Revisit: if most reads need all columns.
 */

import type { Segment } from "../../segment/segment";
import { valuesPerCheck } from "../budget";
import { widened } from "../sets/widened";
import type { Workspace } from "../workspace";
import { VisitEnds } from "./visit-ends";

/** Columns that are found together. Index = session number, from 1. */
export interface SessionColumns {
  readonly bytes: number;
  /** Takes all visits of a segment into their sessions; 0 stands for a visit of none. */
  addSegment(segment: Segment, sessions: Uint32Array): void;
  /** Makes a function that takes single visits of a segment into their sessions. */
  adder(segment: Segment): (session: number, visit: number) => void;
  /** A further session at the end, without an event yet: what is left of one that was reverted is cleared. */
  begin(session: number): void;
  /** Keeps what is known of some sessions. Returns what makes it known again. */
  save(sessions: Uint32Array): () => void;
}

/** The values that an array has at some places. */
function valuesAt(values: ArrayLike<number>, places: Uint32Array): Float64Array {
  const found = new Float64Array(places.length);
  for (let i = 0; i < places.length; i++) found[i] = values[places[i]];
  return found;
}
function putAt(
  values: Uint8Array | Uint32Array | Float64Array,
  places: Uint32Array,
  saved: Float64Array,
): void {
  for (let i = 0; i < places.length; i++) values[places[i]] = saved[i];
}

/** This number of sessions can be added before columns have to grow. */
const spareShare = 1 / 16;
const spareMin = 4_096;
const sizeFor = (count: number): number =>
  count + Math.max(spareMin, Math.ceil(count * spareShare));

/** 1 for a session with an event that counts as interaction. */
export class Interactions implements SessionColumns {
  of: Uint8Array<ArrayBuffer>;

  constructor(
    count: number,
    private readonly workspace: Workspace,
  ) {
    workspace.budget.take(sizeFor(count));
    this.of = new Uint8Array(sizeFor(count));
  }
  get bytes(): number {
    return this.of.byteLength;
  }
  addSegment(segment: Segment, sessions: Uint32Array): void {
    const { of } = this;
    const interactive = segment.integers("visit.interactive");
    for (let v = 0; v < sessions.length; v++) {
      if (interactive[v] === 1 && sessions[v] !== 0) of[sessions[v]] = 1;
    }
  }
  adder(segment: Segment) {
    const interactive = segment.integers("visit.interactive");
    return (n: number, v: number): void => {
      this.of[n] |= interactive[v];
    };
  }
  begin(n: number): void {
    if (n >= this.of.length) {
      this.workspace.budget.take(this.of.byteLength);
      this.of = widened(Uint8Array, this.of, this.of.length * 2);
    }
    this.of[n] = 0;
  }
  save(sessions: Uint32Array): () => void {
    const of = valuesAt(this.of, sessions);
    return () => putAt(this.of, sessions, of);
  }
}

/** The sum over its visits of what a column says of each. */
export class VisitSums implements SessionColumns {
  of: Uint32Array<ArrayBuffer>;

  constructor(
    private readonly column: "visit.events" | "visit.page_views",
    count: number,
    private readonly workspace: Workspace,
  ) {
    this.of = workspace.budget.words(sizeFor(count));
  }
  get bytes(): number {
    return this.of.byteLength;
  }
  addSegment(segment: Segment, sessions: Uint32Array): void {
    const { of } = this;
    const values = segment.integers(this.column);
    for (let v = 0; v < sessions.length; v++) if (sessions[v] !== 0) of[sessions[v]] += values[v];
  }
  adder(segment: Segment) {
    const values = segment.integers(this.column);
    return (n: number, v: number): void => {
      this.of[n] += values[v];
    };
  }
  begin(n: number): void {
    if (n >= this.of.length) {
      this.workspace.budget.take(this.of.byteLength);
      this.of = widened(Uint32Array, this.of, this.of.length * 2);
    }
    this.of[n] = 0;
  }
  save(sessions: Uint32Array): () => void {
    const of = valuesAt(this.of, sessions);
    return () => putAt(this.of, sessions, of);
  }
}

/** No event yet. */
const never = Number.POSITIVE_INFINITY;

/** When the first and the last event happened. */
export class Times implements SessionColumns {
  start: Float64Array<ArrayBuffer>;
  end: Float64Array<ArrayBuffer>;

  constructor(
    count: number,
    private readonly workspace: Workspace,
  ) {
    this.start = workspace.budget.doubles(sizeFor(count)).fill(never);
    this.end = workspace.budget.doubles(sizeFor(count));
  }
  get bytes(): number {
    return this.start.byteLength + this.end.byteLength;
  }
  addSegment(segment: Segment, sessions: Uint32Array): void {
    const { start, end } = this;
    const { firstTime } = segment;
    const starts = segment.integers("visit.start");
    const durations = segment.integers("visit.duration");
    for (let v = 0; v < sessions.length; v++) {
      const n = sessions[v];
      if (n === 0) continue;
      const startMs = firstTime + starts[v];
      const endMs = startMs + durations[v];
      if (start[n] === never || endMs > end[n]) end[n] = endMs;
      if (startMs < start[n]) start[n] = startMs;
    }
  }
  adder(segment: Segment) {
    const { firstTime } = segment;
    const starts = segment.integers("visit.start");
    const durations = segment.integers("visit.duration");
    return (n: number, v: number): void => {
      const startMs = firstTime + starts[v];
      const endMs = startMs + durations[v];
      if (this.start[n] === never || endMs > this.end[n]) this.end[n] = endMs;
      if (startMs < this.start[n]) this.start[n] = startMs;
    };
  }
  begin(n: number): void {
    if (n >= this.start.length) {
      this.workspace.budget.take(this.bytes);
      this.start = widened(Float64Array, this.start, this.start.length * 2);
      this.end = widened(Float64Array, this.end, this.end.length * 2);
    }
    this.start[n] = never;
  }
  save(sessions: Uint32Array): () => void {
    const start = valuesAt(this.start, sessions);
    const end = valuesAt(this.end, sessions);
    return () => {
      putAt(this.start, sessions, start);
      putAt(this.end, sessions, end);
    };
  }
}

/** The segment of the latest visit with a user, or of any visit while there is none, and that user. */
export class Homes implements SessionColumns {
  /** The user number as stored, since the person that it stands for may change while the table is kept; 0 = none. */
  user: Uint32Array<ArrayBuffer>;
  /** 0 for a session without an event yet. */
  segment: Uint32Array<ArrayBuffer>;
  visit: Uint32Array<ArrayBuffer>;

  constructor(
    count: number,
    private readonly workspace: Workspace,
  ) {
    const { budget } = workspace;
    this.user = budget.words(sizeFor(count));
    this.segment = budget.words(sizeFor(count));
    this.visit = budget.words(sizeFor(count));
  }
  get bytes(): number {
    return 3 * this.user.byteLength;
  }
  addSegment(segment: Segment, sessions: Uint32Array): void {
    const { id, users } = segment;
    const add = this.adder(segment);
    const { user, segment: segments, visit } = this;
    for (let v = 0; v < sessions.length; v++) {
      if (v % valuesPerCheck === 0) this.workspace.check();
      const n = sessions[v];
      if (n === 0) continue;
      if (segments[n] !== 0) {
        add(n, v);
        continue;
      }
      user[n] = users[v];
      segments[n] = id;
      visit[n] = v;
    }
  }
  adder(segment: Segment) {
    const { id, users } = segment;
    const ends = new VisitEnds(segment);
    const known = new Map<number, VisitEnds>();
    return (n: number, v: number): void => {
      if (this.segment[n] !== 0 && (users[v] === 0 || !this.isLater(n, ends, v, known))) return;
      this.user[n] = users[v];
      this.segment[n] = id;
      this.visit[n] = v;
    };
  }
  begin(n: number): void {
    if (n >= this.user.length) {
      this.workspace.budget.take(this.bytes);
      const size = this.user.length * 2;
      this.user = widened(Uint32Array, this.user, size);
      this.segment = widened(Uint32Array, this.segment, size);
      this.visit = widened(Uint32Array, this.visit, size);
    }
    this.user[n] = 0;
    this.segment[n] = 0;
  }
  save(sessions: Uint32Array): () => void {
    const user = valuesAt(this.user, sessions);
    const segment = valuesAt(this.segment, sessions);
    const visit = valuesAt(this.visit, sessions);
    return () => {
      putAt(this.user, sessions, user);
      putAt(this.segment, sessions, segment);
      putAt(this.visit, sessions, visit);
    };
  }

  /**
   * Tells whether a further visit with a user decides the session's, who is that of its latest event with one. `known`
   * has segments that were looked at before.
   */
  private isLater(
    n: number,
    ends: VisitEnds,
    visit: number,
    known: Map<number, VisitEnds>,
  ): boolean {
    if (this.user[n] === 0) return true;
    const id = this.segment[n];
    let home = known.get(id);
    if (home === undefined) {
      home = new VisitEnds(this.workspace.open(id));
      known.set(id, home);
    }
    const endMs = ends.of(visit);
    const homeMs = home.of(this.visit[n]);
    if (endMs !== homeMs) return endMs > homeMs;
    return ends.ticketOfLast(visit) > home.ticketOfLast(this.visit[n]);
  }
}

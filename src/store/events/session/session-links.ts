/*
 * A visit that is not linked is a session.
 * Decision: sessions with several visits are linked sessions, and have places from 1. A session without a place has one
 * visit, and the segment of this visit stores all facts about it.
 * Because: few sessions are linked, as the compactor puts the events of a session in one visit where it can. Counts,
 * bounces, durations, values and pages of all others need no table of sessions, and no comparison of visits.
 * Cost: a number for each session that says whether it is linked.
 * Revisit: if segments store links, so that only linked sessions need numbers.
 */

import { kernel } from "../scan/kernel";
import type { Budget } from "../sets/budget";
import { SessionColumn } from "./session-column";
import type { SessionNumbers } from "./session-numbers";

/** The numbers of the sessions of visits, by segment. */
type Visits = ReadonlyMap<number, Uint32Array>;

/** Numbered sessions with their links. */
export interface LinkedSessions extends SessionNumbers {
  readonly links: SessionLinks;
  /** The segments with visits of these sessions. */
  readonly segmentIds: readonly number[];
  /** Returns a number for each visit of a segment. */
  numbersIn(segmentId: number): Uint32Array;
}

/** The linked sessions: those of the numbered sessions that have several visits. */
export class SessionLinks {
  private constructor(
    private readonly column: SessionColumn<Uint32Array>,
    /** The session of each place. The first one stands for no place. */
    readonly sessions: readonly number[],
  ) {}

  /** Returns the links of `count` sessions. */
  static of(count: number, visits: Visits, budget: Budget): SessionLinks {
    const column = SessionColumn.of(Uint32Array, 0, count, budget);
    const isSeen = new Uint8Array(count + 1);
    return new SessionLinks(column, withSeveral(visits, column.values, [0], isSeen, 0));
  }
  /** Returns the links of more sessions. A changed session is linked, because it had a visit and has another one. */
  extended(
    count: number,
    known: number,
    changed: Uint32Array,
    visits: Visits,
    budget: Budget,
  ): SessionLinks {
    this.takeBack();
    const linked = changed.filter((n) => this.places[n] === 0);
    const column = this.column.extended(count, linked, budget);
    const isSeen = new Uint8Array(count + 1 - known);
    const sessions = this.sessions.slice();
    return new SessionLinks(column, withSeveral(visits, column.values, sessions, isSeen, known));
  }
  /** Restores the links from before the extension. */
  takeBack(): void {
    this.column.takeBack();
  }

  /** By the number of a session, its place; 0 for a session of one visit. */
  get places(): Uint32Array {
    return this.column.values;
  }
  get count(): number {
    return this.sessions.length - 1;
  }
  get bytes(): number {
    return this.column.bytes + Float64Array.BYTES_PER_ELEMENT * this.sessions.length;
  }
  /** Returns the places of visits by the numbers of their sessions. */
  placesOf(numbers: Uint32Array): Uint32Array {
    return placesOf(numbers, this.places);
  }
}

/**
 * Gives places to the sessions of several visits, and returns the sessions of all places. `isSeen` begins after the
 * session `known`: the sessions up to it have a visit already.
 */
function withSeveral(
  visits: Visits,
  places: Uint32Array,
  sessions: number[],
  isSeen: Uint8Array,
  known: number,
): readonly number[] {
  for (const numbers of visits.values()) {
    for (let visit = 0; visit < numbers.length; visit++) {
      const n = numbers[visit];
      if (n === 0 || places[n] !== 0) continue;
      if (n > known && isSeen[n - known] === 0) isSeen[n - known] = 1;
      else places[n] = sessions.push(n) - 1;
    }
  }
  return sessions;
}

/** Returns the places of sessions by their numbers. */
export const placesOf = kernel((numbers: Uint32Array, places: Uint32Array): Uint32Array => {
  const ofVisits = new Uint32Array(numbers.length);
  for (let v = 0; v < ofVisits.length; v++) ofVisits[v] = places[numbers[v]];
  return ofVisits;
});

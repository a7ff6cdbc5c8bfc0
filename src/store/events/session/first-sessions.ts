import { compareText } from "../../../lib/text";
import type { Identity } from "../scan/identity";
import { valuesPerCheck } from "../sets/budget";
import type { Workspace } from "../sets/workspace";
import type { SessionValues } from "./field-values";

/** By number; 0 is a session without a user. */
const kinds = ["", "new", "returning"];
const isFirst = 1;
const isLater = 2;

/** A table of sessions, as far as it tells which of them are the earliest ones. */
interface OwnedSessions {
  readonly count: number;
  readonly start: Float64Array;
  /** The user to whom a session belongs today; 0 = none. */
  userOf(session: number, identity: Identity): number;
  idOf(session: number): string;
}

/**
 * The earliest session of each user in a table of all stored sessions, as of some version of the links. Its values
 * tell whether a session is the earliest one of its user. Cost: one pass over the sessions, and a comparison of ids
 * where two sessions of a user began at the same time.
 */
export class FirstSessions implements SessionValues {
  readonly version: number;
  readonly count = kinds.length - 1;
  /** Index = user number; 0 = none. */
  private readonly firsts: Uint32Array;
  private readonly kindOf: Uint8Array;

  /** `marks` has a 1 for each session that takes part; null for all. */
  constructor(
    sessions: OwnedSessions,
    identity: Identity,
    { budget, check }: Workspace,
    marks: Uint8Array | null = null,
  ) {
    this.version = identity.version;
    const { count, start } = sessions;
    const users = budget.words(count + 1);
    let largest = 0;
    for (let n = 1; n <= count; n++) {
      if (n % valuesPerCheck === 0) check();
      users[n] = sessions.userOf(n, identity);
      if (users[n] > largest) largest = users[n];
    }
    this.firsts = budget.words(largest + 1);
    const { firsts } = this;
    for (let n = 1; n <= count; n++) {
      if (n % valuesPerCheck === 0) check();
      if (marks?.[n] === 0) continue;
      const first = firsts[users[n]];
      if (users[n] === 0 || (first !== 0 && start[n] > start[first])) continue;
      const isTie = first !== 0 && start[n] === start[first];
      if (!isTie || compareText(sessions.idOf(n), sessions.idOf(first)) < 0) firsts[users[n]] = n;
    }
    this.kindOf = budget.bytesOf(count + 1);
    for (let n = 1; n <= count; n++) {
      if (users[n] !== 0) this.kindOf[n] = firsts[users[n]] === n ? isFirst : isLater;
    }
    budget.giveBack(users.byteLength);
  }

  get bytes(): number {
    return this.firsts.byteLength + this.kindOf.byteLength;
  }
  /** Returns the number of a user's earliest session; 0 for a user, or for nobody, without one. */
  ofUser(user: number): number {
    return user < this.firsts.length ? this.firsts[user] : 0;
  }

  numberOf(session: number): number {
    return this.kindOf[session];
  }
  copyInto(numbers: Uint32Array, from: number): void {
    for (let at = 0; at < numbers.length; at++) numbers[at] = this.kindOf[from + at];
  }
  text(number: number): string {
    return kinds[number];
  }
  byteAt(number: number, place: number): number {
    return byteOf(kinds[number], place);
  }
}

/** Returns a byte of a text that is ASCII; −1 behind its end. */
export const byteOf = (text: string, place: number): number =>
  place < text.length ? text.charCodeAt(place) : -1;

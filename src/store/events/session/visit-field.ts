import { isoDate } from "../../../domain/event";
import type { SessionField } from "../../../domain/session-field";
import { type TimeZone, timeZoneOf } from "../../../domain/time-zone";
import {
  firstSessionField,
  isUserField,
  sessionVisitor,
  type UserField,
} from "../../../domain/visitor-field";
import type { Identity } from "../scan/identity";
import type { Segment } from "../segment/segment";
import type { SessionValues } from "./field-values";
import { byteOf } from "./first-sessions";
import { numbersIn } from "./session-numbers";
import type { Sessions } from "./sessions";

/** A field that visits have through sessions: the values of a table's sessions, and the session of each visit. */
export interface VisitField {
  readonly values: SessionValues;
  /** Returns for each visit the number of the session whose value it has, or 0; an empty list if no visit has one. */
  sessionsOf(segment: Segment): Uint32Array;
}

/**
 * A visit has the value of its own session. For a field of users it has the value of the earliest session of its user.
 * Fields of visitors need a table of all stored sessions.
 */
export function visitField(
  sessions: Sessions,
  field: SessionField | UserField,
  identity: Identity,
  zone: string | undefined,
): VisitField {
  const ofOwn = (segment: Segment): Uint32Array => numbersIn(sessions, segment) ?? none;
  if (field === sessionVisitor) {
    return { values: sessions.firstOfUsers(identity), sessionsOf: ofOwn };
  }
  if (!isUserField(field)) return { values: sessions.values.of(field), sessionsOf: ofOwn };
  const ofFirst = firstSessionField(field);
  const firsts = sessions.firstOfUsers(identity);
  return {
    values: ofFirst === null ? new StartDates(sessions, zone) : sessions.values.of(ofFirst),
    sessionsOf: (segment) => {
      const users = identity.usersOf(segment);
      const numbers = new Uint32Array(users.length);
      for (let v = 0; v < users.length; v++) numbers[v] = firsts.ofUser(users[v]);
      return numbers;
    },
  };
}

const none = new Uint32Array(0);

/** The dates on which sessions began, in a zone: the number of a date is one more than its days since 1970. */
class StartDates implements SessionValues {
  private readonly zone: TimeZone;
  readonly count: number;

  constructor(
    private readonly sessions: Sessions,
    zone: string | undefined,
  ) {
    this.zone = timeZoneOf(zone);
    const { start, count } = sessions;
    let lastMs = 0;
    for (let n = 1; n <= count; n++) if (start[n] > lastMs) lastMs = start[n];
    this.count = this.zone.dayAt(lastMs) + 1;
  }

  numberOf(session: number): number {
    return this.zone.dayAt(this.sessions.start[session]) + 1;
  }
  copyInto(numbers: Uint32Array, from: number): void {
    for (let at = 0; at < numbers.length; at++) numbers[at] = this.numberOf(from + at);
  }
  text(number: number): string {
    return isoDate(number - 1);
  }
  byteAt(number: number, place: number): number {
    return byteOf(this.text(number), place);
  }
}

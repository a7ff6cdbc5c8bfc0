import type { CountGroup } from "../../../domain/counting";
import { textOf } from "../../../domain/filter";
import type { Integers } from "../segment/codec";
import type { Segment } from "../segment/segment";
import type { Context } from "./context";
import type { Identity } from "./identity";
import type { SessionNumbers } from "./session-numbers";

export type Label = string | number | null;

/** A way of telling the rows of one segment apart: a code per row, and the number of what each code stands for. */
export interface Dimension {
  /** Null: all rows alike, code 0. */
  readonly codes: Integers | null;
  /** Codes are below this. */
  readonly size: number;
  readonly numberOf: (code: number) => number;
  /** The dictionary column that the codes are those of. */
  readonly column?: string;
}

/** One of the things that rows are grouped by. Its labels have numbers that hold across segments; 0 is null. */
export interface Labels {
  dimension(segment: Segment): Dimension;
  label(number: number): Label;
}

/** Hours have none: they are counted alone (time-counting.ts). */
export function labelsOf(
  name: CountGroup,
  context: Context,
  identity: Identity,
  sessions: SessionNumbers | null,
): Labels {
  switch (name) {
    case "event":
      return new TextLabels("event.name");
    case "country":
      return new TextLabels("event.country");
    case "user_id":
      return new UserLabels(identity);
    case "session_id":
      return new SessionLabels(context, sessions);
    default:
      return new TextLabels(`property.${name.slice("properties.".length)}`);
  }
}

/** Labels that are looked at, in order of first use, from number 1. */
class Numbered {
  private readonly labels: Label[] = [null];
  private readonly numbers = new Map<Label, number>([[null, 0]]);

  number(label: Label): number {
    let number = this.numbers.get(label);
    if (number === undefined) {
      number = this.labels.push(label) - 1;
      this.numbers.set(label, number);
    }
    return number;
  }
  label(number: number): Label {
    return this.labels[number];
  }
}

/** A dictionary column. Values that compare as the same text are one label. */
class TextLabels implements Labels {
  private readonly numbered = new Numbered();
  constructor(private readonly column: string) {}

  dimension(segment: Segment): Dimension {
    const dictionary = segment.dictionary(this.column);
    return {
      codes: segment.codes(this.column),
      size: dictionary.length + 1,
      column: this.column,
      numberOf: (code) => (code === 0 ? 0 : this.numbered.number(textOf(dictionary[code - 1]))),
    };
  }
  label(number: number): Label {
    return this.numbered.label(number);
  }
}

/** Users have numbers already; their names are looked up only where they matter. */
class UserLabels implements Labels {
  constructor(private readonly identity: Identity) {}

  dimension(segment: Segment): Dimension {
    const users = this.identity.usersOf(segment);
    const codeOf = new Map<number, number>();
    const distinct: number[] = [];
    const codes = perVisit(segment, (visit) => {
      let code = codeOf.get(users[visit]);
      if (code === undefined) {
        code = distinct.push(users[visit]) - 1;
        codeOf.set(users[visit], code);
      }
      return code;
    });
    return { codes, size: distinct.length, numberOf: (code) => distinct[code] };
  }
  label(number: number): Label {
    return this.identity.nameOf(number);
  }
}

/** So have sessions; their ids are looked up where one of their visits is. */
class SessionLabels implements Labels {
  private readonly homeSegment: Uint32Array;
  private readonly homeVisit: Uint32Array;

  constructor(
    private readonly context: Context,
    private readonly sessions: SessionNumbers | null,
  ) {
    const size = (sessions?.count ?? 0) + 1;
    this.homeSegment = new Uint32Array(size);
    this.homeVisit = new Uint32Array(size);
  }

  /** Visits are sorted by session, so those of one session follow each other. */
  dimension(segment: Segment): Dimension {
    const numbers = this.sessions?.of.get(segment.id) ?? new Uint32Array(segment.visitCount);
    const distinct: number[] = [];
    const codes = perVisit(segment, (visit) => {
      if (visit === 0 || numbers[visit] !== numbers[visit - 1]) {
        this.homeSegment[numbers[visit]] = segment.id;
        this.homeVisit[numbers[visit]] = visit;
        distinct.push(numbers[visit]);
      }
      return distinct.length - 1;
    });
    return { codes, size: distinct.length, numberOf: (code) => distinct[code] };
  }
  label(number: number): Label {
    if (number === 0) return null;
    return this.context.open(this.homeSegment[number]).sessionIds[this.homeVisit[number]];
  }
}

function perVisit(segment: Segment, codeOf: (visit: number) => number): Uint32Array {
  const codes = new Uint32Array(segment.eventCount);
  const { firstRows } = segment;
  for (let v = 0; v + 1 < firstRows.length; v++) {
    codes.fill(codeOf(v), firstRows[v], firstRows[v + 1]);
  }
  return codes;
}

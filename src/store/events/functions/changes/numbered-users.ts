import type { Budget } from "../budget";
import type { Stretches } from "./stretches";

/** A range of a segment's stretches. */
export interface StretchRange {
  readonly stretches: Stretches;
  readonly first: number;
  readonly end: number;
}

/** Users of some dates, numbered from 1 without a gap: what is known of each of them has its place in small tables. */
export interface NumberedUsers {
  readonly count: number;
  readonly ranges: readonly StretchRange[];
  /** The number of the user by range and stretch, from the first of the range on; 0 for none. */
  readonly numbers: readonly Uint32Array[];
}

/** The users of some dates, who are looked at when their numbers are asked for. */
export interface UsersOfDates {
  /** Names the dates. */
  readonly when: string;
  readonly ranges: readonly StretchRange[];
  numbered(): NumberedUsers;
}

/** Numbers users for one set of dates after the other, with a table that is made once. */
export class UserNumbering {
  /** The last set that each user is in, by its number, sets before the present one included. */
  private lastNumber: Uint32Array<ArrayBuffer>;
  private given = 0;

  constructor(
    userLimit: number,
    private readonly budget: Budget,
  ) {
    this.lastNumber = budget.words(userLimit + 1);
  }

  of(when: string, ranges: readonly StretchRange[]): UsersOfDates {
    let known: NumberedUsers | null = null;
    const numbered = (): NumberedUsers => {
      known ??= this.number(ranges);
      return known;
    };
    return { when, ranges, numbered };
  }
  private number(ranges: readonly StretchRange[]): NumberedUsers {
    const before = this.given;
    const numbers = ranges.map((range) => {
      this.budget.check();
      return this.numbersIn(range, before);
    });
    return { count: this.given - before, ranges, numbers };
  }

  private numbersIn({ stretches: { users }, first, end }: StretchRange, before: number) {
    const { budget } = this;
    const numbers = budget.words(end - first);
    for (let at = first; at < end; at++) {
      const user = users[at];
      if (user === 0) continue;
      // Users of segments that were not looked at yet, and those that others are linked to, have higher numbers.
      if (user >= this.lastNumber.length)
        this.lastNumber = budget.widerWords(this.lastNumber, 2 * user);
      if (this.lastNumber[user] <= before) this.lastNumber[user] = ++this.given;
      numbers[at - first] = this.lastNumber[user] - before;
    }
    return numbers;
  }
}

import type { Identity } from "../scan/identity";
import { kernel } from "../scan/kernel";
import type { Selection } from "../scan/selection";
import type { Segment } from "../segment/segment";
import type { Budget } from "../sets/budget";

/** The users of some rows, with numbers from 1 without a gap, so that sets of them are small. */
export interface NumberedUsers {
  readonly count: number;
  /** Returns the number of the user of each visit; 0 for nobody, and for visits without such a row. */
  usersOf(segment: Segment): Uint32Array;
}

/** Numbers the users of one list of rows after the other, each at its first use, with one table. */
export class UserNumbering {
  /** The last number of each user. A number of an earlier list is smaller than those of the present list. */
  private numbers: Uint32Array<ArrayBuffer> | null = null;
  private given = 0;

  /** `selected` covers all segments of the lists. */
  constructor(
    private readonly selected: readonly Selection[],
    private readonly identity: Identity,
    private readonly budget: Budget,
  ) {}

  of(selected: readonly Selection[]): () => NumberedUsers {
    let known: NumberedUsers | null = null;
    return () => {
      known ??= this.number(selected);
      return known;
    };
  }
  private number(selected: readonly Selection[]): NumberedUsers {
    const { identity, budget } = this;
    const segments = this.selected.map(({ segment }) => segment);
    this.numbers ??= budget.words(identity.largestIn(segments, budget.check) + 1);
    const before = this.given;
    const known = new Map<string, Uint32Array>();
    for (const { segment, visits } of selected) {
      const users = this.budget.words(segment.visitCount);
      users.set(this.identity.usersOf(segment));
      this.given = numberUsers(users, visits, this.numbers, before, this.given);
      known.set(segment.key, users);
    }
    return { count: this.given - before, usersOf: ({ key }) => known.get(key)! };
  }
}

/** Replaces the users of the marked visits by their numbers, and returns the last number. */
const numberUsers = kernel(
  (
    users: Uint32Array,
    visits: Uint8Array,
    numbers: Uint32Array,
    before: number,
    last: number,
  ): number => {
    let given = last;
    for (let v = 0; v < users.length; v++) {
      const user = users[v] * visits[v];
      if (user !== 0 && numbers[user] <= before) numbers[user] = ++given;
      users[v] = user === 0 ? 0 : numbers[user] - before;
    }
    return given;
  },
);

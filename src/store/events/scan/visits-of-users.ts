import type { Segment } from "../segment/segment";
import type { Identity } from "./identity";

/** With more numbers than this one look at each visit is cheaper than a search for each number. */
const searchedNumbersMax = 8;

/**
 * The visits of a few users. They are looked for by the numbers that segments have, so that nothing is made of the
 * users of a segment that has none of them, as nearly all have.
 */
export class VisitsOfUsers {
  /** The user that each number stands for. */
  private readonly userOf = new Map<number, number>();

  /** `users` stand for themselves. */
  constructor(identity: Identity, users: Iterable<number>) {
    for (const user of users) {
      for (const number of identity.numbersOf(user)) this.userOf.set(number, user);
    }
  }

  /** Calls for each of their visits, in any order. */
  forEachIn({ users }: Segment, see: (visit: number, user: number) => void): void {
    const { userOf } = this;
    if (userOf.size > searchedNumbersMax) {
      for (let visit = 0; visit < users.length; visit++) {
        const user = userOf.get(users[visit]);
        if (user !== undefined) see(visit, user);
      }
      return;
    }
    for (const [number, user] of userOf) {
      for (let v = users.indexOf(number); v >= 0; v = users.indexOf(number, v + 1)) see(v, user);
    }
  }
}

import type { Segment } from "../segment/segment";
import type { Identity } from "./identity";

/** For more numbers than this, one pass over all visits is cheaper than a search for each number. */
const searchedNumbersMax = 8;

/**
 * Finds the visits of a few users. It searches for the numbers that segments store, so that a segment without these
 * users, as nearly every one, computes no canonical users.
 */
export class VisitsOfUsers {
  /** The user that each number stands for. */
  private readonly userOf = new Map<number, number>();

  /** `users` are canonical numbers. */
  constructor(identity: Identity, users: Iterable<number>) {
    for (const user of users) {
      for (const number of identity.numbersOf(user)) this.userOf.set(number, user);
    }
  }

  /** Calls `see` for each of their visits in a segment, in any order. */
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

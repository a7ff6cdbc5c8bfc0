import type { Segment } from "../../segment/segment";
import type { Workspace } from "../workspace";
import { Homes, Interactions, Times, VisitSums } from "./session-columns";

/** The sessions of several visits, by their place among them (several-visits.ts), put together for one question. */
export class FewSessions {
  /** 1 for one with a visit that matches what is asked. */
  readonly isMatching: Uint8Array;
  private readonly times: Times;
  private readonly interactions: Interactions;
  private readonly sums: VisitSums;
  private readonly homes: Homes;

  /** `column` is what is counted in each. */
  constructor(
    readonly count: number,
    column: "visit.events" | "visit.page_views",
    workspace: Workspace,
  ) {
    this.isMatching = new Uint8Array(count + 1);
    this.times = new Times(count, workspace);
    this.interactions = new Interactions(count, workspace);
    this.sums = new VisitSums(column, count, workspace);
    this.homes = new Homes(count, workspace);
  }

  adder(segment: Segment): (place: number, visit: number, isMatching: boolean) => void {
    const columns = [this.times, this.interactions, this.sums, this.homes];
    const adders = columns.map((one) => one.adder(segment));
    return (place, visit, isMatching) => {
      for (const add of adders) add(place, visit);
      if (isMatching) this.isMatching[place] = 1;
    };
  }

  get start(): Float64Array {
    return this.times.start;
  }
  get end(): Float64Array {
    return this.times.end;
  }
  get interactive(): Uint8Array {
    return this.interactions.of;
  }
  get counts(): Uint32Array {
    return this.sums.of;
  }
  /** The user numbers as stored. */
  get user(): Uint32Array {
    return this.homes.user;
  }
}

import type { Context } from "../filter/context";
import type { Identity } from "../scan/identity";
import type { Segment } from "../segment/segment";
import { numbersIn } from "../session/session-numbers";
import type { Sessions } from "../session/sessions";
import { leftOut } from "./by-visit";
import { DistinctSets } from "./distinct-sets";
import type { Aggregate, Chunk } from "./hash-aggregate";

/** The distinct users of each group. */
export class UsersOfGroups implements Aggregate {
  private sets: DistinctSets | null = null;

  constructor(
    private readonly context: Pick<Context, "budget" | "sparePlanes">,
    private readonly identity: Pick<Identity, "usersOf">,
    /** The largest number of a user that may be added. */
    private readonly largest: number,
  ) {}

  begin(groups: number): void {
    const { budget, sparePlanes } = this.context;
    this.sets = new DistinctSets(groups, this.largest, budget, sparePlanes);
  }
  update(chunk: Chunk): void {
    this.sets?.add(chunk, this.identity.usersOf(chunk.selection.segment));
  }
  /** Adds only the visits that have a 1 among these. */
  updateOf(chunk: Chunk, visits: Uint8Array): void {
    this.sets?.add(chunk, this.identity.usersOf(chunk.selection.segment), visits);
  }
  value(group: number): number {
    return this.sets?.count(group) ?? 0;
  }
  end(): void {
    this.sets?.end();
  }
}

/**
 * Counts sessions, users whose rows in the group all lack a session, and rows with neither. Such users are the users of
 * all rows minus the users of rows in sessions.
 */
export class SessionThenUser implements Aggregate {
  private nobody = new Float64Array(0);
  private readonly mayBeOutside: boolean;

  constructor(
    private readonly sessions: Aggregate,
    private readonly users: { readonly all: UsersOfGroups; readonly inSessions: UsersOfGroups },
    private readonly inSessions: Sessions | null,
    private readonly context: Pick<Context, "budget">,
    private readonly identity: Identity,
  ) {
    this.mayBeOutside = inSessions?.areAllInSessions !== true;
  }

  begin(groups: number): void {
    this.sessions.begin?.(groups);
    if (!this.mayBeOutside) return;
    this.users.all.begin(groups);
    this.users.inSessions.begin(groups);
    this.nobody = this.context.budget.doubles(groups);
  }
  update(chunk: Chunk): void {
    this.sessions.update(chunk);
    if (!this.mayBeOutside) return;
    const { segment, visits } = chunk.selection;
    const inSessions = this.visitsIn(segment, visits);
    this.users.all.update(chunk);
    this.users.inSessions.updateOf(chunk, inSessions);
    this.addNobody(chunk, inSessions);
  }
  /** Returns a 1 for each of the visits that has a session. */
  private visitsIn(segment: Segment, visits: Uint8Array): Uint8Array {
    const numbers = numbersIn(this.inSessions, segment);
    if (numbers === undefined) return new Uint8Array(visits.length);
    return visits.map((visit, v) => (numbers[v] === 0 ? 0 : visit));
  }
  private addNobody({ selection, vector, groupOf }: Chunk, inSessions: Uint8Array): void {
    const { segment, visits, rows } = selection;
    const { firstRows } = segment;
    const users = this.identity.usersOf(segment);
    const isNobody = (v: number): boolean =>
      visits[v] === 1 && inSessions[v] === 0 && users[v] === 0;
    if (!users.some((_, v) => isNobody(v))) return;
    const { codes } = vector;
    const isByVisit = vector.grain === "visit";
    for (let v = 0; v < users.length; v++) {
      if (!isNobody(v)) continue;
      for (let i = firstRows[v]; i < firstRows[v + 1]; i++) {
        const group = groupOf[codes === null ? 0 : codes[isByVisit ? v : i]];
        if (rows[i] === 1 && group !== leftOut) this.nobody[group]++;
      }
    }
  }
  value(group: number, metric: string): number {
    const sessions = this.sessions.value(group, metric) ?? 0;
    if (!this.mayBeOutside) return sessions;
    const { all, inSessions } = this.users;
    return sessions + all.value(group) - inSessions.value(group) + this.nobody[group];
  }
  end(): void {
    this.sessions.end?.();
    this.users.all.end();
    this.users.inSessions.end();
  }
}

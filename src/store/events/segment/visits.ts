import { type Hash, sessionKeyOf } from "./hash";

/** The rows in order of visits: those of visit v are order[firstRows[v]] … order[firstRows[v + 1] - 1]. */
export interface VisitOrder {
  readonly order: Uint32Array;
  readonly firstRows: Uint32Array;
  /** The numbers of the visits, in order of their keys. */
  readonly visits: Uint32Array;
}

const noSession: Hash = [0, 0];

/** The visits of a builder: events of one user in one session. */
export class Visits {
  readonly users: number[] = [];
  readonly high: number[] = [];
  readonly low: number[] = [];
  readonly sessionIds: (string | null)[] = [];
  /** The first visit of each session, by session id. Nearly every session has one user and hence one visit. */
  private readonly firstOf = new Map<string, number>();
  /** The other visits, by user and session id. */
  private readonly others = new Map<string, number>();

  constructor(private readonly seed: bigint) {}

  /** Returns the number of a visit, a new one for a new visit. `key` is the session key, if the caller has it. */
  numberOf(user: number, sessionId: string | null, key?: Hash): number {
    if (sessionId !== null) {
      const first = this.firstOf.get(sessionId);
      if (first === undefined) {
        const number = this.add(user, sessionId, key);
        this.firstOf.set(sessionId, number);
        return number;
      }
      if (this.users[first] === user) return first;
    }
    const name = sessionId === null ? String(user) : `${user}\n${sessionId}`;
    const existing = this.others.get(name);
    if (existing !== undefined) return existing;
    const number = this.add(user, sessionId, key);
    this.others.set(name, number);
    return number;
  }
  private add(user: number, sessionId: string | null, key?: Hash): number {
    const [high, low] =
      sessionId === null ? noSession : (key ?? sessionKeyOf(sessionId, this.seed));
    this.high.push(high);
    this.low.push(low);
    this.sessionIds.push(sessionId);
    return this.users.push(user) - 1;
  }

  /** Sorts visits by session key and user, and the rows of a visit by time and ticket. */
  sort(
    rows: Uint32Array,
    visitOf: Uint32Array,
    times: Float64Array,
    tickets: Float64Array,
  ): VisitOrder {
    const lengths = new Uint32Array(this.users.length);
    for (let i = 0; i < rows.length; i++) lengths[visitOf[rows[i]]]++;
    const visits = this.sorted(lengths);
    const firstRows = new Uint32Array(visits.length + 1);
    const next = new Uint32Array(lengths.length);
    for (let v = 0; v < visits.length; v++) {
      next[visits[v]] = firstRows[v];
      firstRows[v + 1] = firstRows[v] + lengths[visits[v]];
    }
    const order = new Uint32Array(rows.length);
    for (let i = 0; i < rows.length; i++) order[next[visitOf[rows[i]]]++] = rows[i];
    for (let v = 0; v < visits.length; v++) {
      sortByTime(order, firstRows[v], firstRows[v + 1], times, tickets);
    }
    return { order, firstRows, visits };
  }

  private sorted(lengths: Uint32Array): Uint32Array {
    const { users, high, low } = this;
    const present: number[] = [];
    for (let visit = 0; visit < lengths.length; visit++)
      if (lengths[visit] > 0) present.push(visit);
    return new Uint32Array(present).sort(
      (a, b) => high[a] - high[b] || low[a] - low[b] || users[a] - users[b],
    );
  }
}

/** Sorts by insertion, which is fast as events arrive nearly in order. After many moves it falls back to `sort`. */
function sortByTime(
  order: Uint32Array,
  from: number,
  to: number,
  times: Float64Array,
  tickets: Float64Array,
): void {
  let moves = 16 * (to - from);
  for (let i = from + 1; i < to; i++) {
    const row = order[i];
    let j = i - 1;
    while (j >= from && isLater(order[j], row, times, tickets)) {
      order[j + 1] = order[j];
      j--;
    }
    order[j + 1] = row;
    moves -= i - j;
    if (moves < 0) {
      order.subarray(from, to).sort((a, b) => times[a] - times[b] || tickets[a] - tickets[b]);
      return;
    }
  }
}

const isLater = (a: number, b: number, times: Float64Array, tickets: Float64Array): boolean =>
  times[a] > times[b] || (times[a] === times[b] && tickets[a] > tickets[b]);

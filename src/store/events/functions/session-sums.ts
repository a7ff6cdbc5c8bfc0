/** Sums over sessions by the number of their group. */
export class SessionSums {
  private readonly sessions: Float64Array;
  private readonly bounces: Float64Array;
  private readonly durations: Float64Array;
  private readonly counts: Float64Array;

  constructor(groups: number) {
    this.sessions = new Float64Array(groups);
    this.bounces = new Float64Array(groups);
    this.durations = new Float64Array(groups);
    this.counts = new Float64Array(groups);
  }

  /** Adds a session; `count` is the number of its events, or of some of them. */
  add(group: number, interactive: number, durationMs: number, count: number): void {
    this.addSums(group, 1, 1 - interactive, durationMs, count);
  }
  addSums(
    group: number,
    sessions: number,
    bounces: number,
    durationMs: number,
    count: number,
  ): void {
    this.sessions[group] += sessions;
    this.bounces[group] += bounces;
    this.durations[group] += durationMs;
    this.counts[group] += count;
  }
  /** Returns the groups that have a session, in order of their numbers. */
  groups(): SessionSum[] {
    const { sessions, bounces, durations, counts } = this;
    return [...sessions.keys()]
      .filter((group) => sessions[group] > 0)
      .map((group) => ({
        ...{ group, sessions: sessions[group], bounces: bounces[group] },
        ...{ duration: durations[group], count: counts[group] },
      }));
  }
}

interface SessionSum {
  readonly group: number;
  readonly sessions: number;
  readonly bounces: number;
  /** In ms. */
  readonly duration: number;
  readonly count: number;
}

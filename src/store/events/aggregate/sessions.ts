import { averageDuration, bounceRate, conversionRate } from "../../../domain/session";
import type { Context } from "../functions/context";
import { type GoalSums, goalSumsOf } from "../functions/counting/goal-sums";
import type { Reached } from "../functions/counting/reached";
import { numbersIn, type SessionNumbers } from "../functions/sessions/session-numbers";
import type { Sessions } from "../functions/sessions/sessions";
import { kernel } from "../scan/kernel";
import type { Integers } from "../segment/codec";
import type { Segment } from "../segment/segment";
import { DistinctSets, eachGroup } from "./distinct-sets";
import type { Aggregate, Chunk } from "./hash-aggregate";

/** The inputs of SessionsOfGroups. */
interface SessionInputs {
  readonly numbers: SessionNumbers;
  readonly several: Several;
  /** The facts about each session; null if no metric needs them. */
  readonly sessions: Sessions | null;
  readonly reached: Reached | null;
}

/** The sessions with several visits. They have places from 1. */
export interface Several {
  readonly count: number;
  /** Returns the place of each visit's session; 0 for a session with a single visit. */
  placesIn(segment: Segment): Uint32Array;
  /** The session of each place; empty if no facts about sessions are needed. */
  readonly sessions: readonly number[];
}

/** The facts about sessions that a metric sums, by session; null if no metric needs one. */
interface Facts {
  /** A 1 for each session that is no bounce. */
  readonly interactive: Uint8Array | null;
  readonly start: Float64Array | null;
  readonly end: Float64Array | null;
  readonly reached: Uint8Array | null;
}

/**
 * Counts the distinct sessions of each group, and sums facts about them. Nearly every session has one visit, which
 * counts at once in each group that has one of its rows; sets collect the sessions with several visits until the end.
 */
export class SessionsOfGroups implements Aggregate {
  private readonly facts: Facts;
  private readonly goal: GoalSums | null;
  private sets: DistinctSets | null = null;
  private counts = new Float64Array(0);
  private bounces = new Float64Array(0);
  private durationMs = new Float64Array(0);
  private conversions = new Float64Array(0);
  private isEnded = false;

  constructor(
    private readonly context: Pick<Context, "budget" | "sparePlanes">,
    metrics: readonly string[],
    private readonly of: SessionInputs,
  ) {
    const { sessions, reached } = of;
    const wantsBounces = sessions !== null && metrics.includes("bounce_rate");
    const wantsDuration = sessions !== null && metrics.includes("avg_duration");
    this.facts = {
      interactive: wantsBounces ? sessions.interactive : null,
      start: wantsDuration ? sessions.start : null,
      end: wantsDuration ? sessions.end : null,
      reached: reached?.marks ?? null,
    };
    this.goal = goalSumsOf(reached, context.budget);
  }

  begin(groups: number): void {
    const { budget, sparePlanes } = this.context;
    this.sets = new DistinctSets(groups, this.of.several.count, budget, sparePlanes);
    this.counts = budget.doubles(groups);
    this.bounces = budget.doubles(groups);
    this.durationMs = budget.doubles(groups);
    this.conversions = budget.doubles(groups);
  }
  update(chunk: Chunk): void {
    const numbers = numbersIn(this.of.numbers, chunk.selection.segment);
    if (numbers === undefined) return; // It is a segment without sessions.
    const { segment, visits } = chunk.selection;
    const { several } = this.of;
    const places = several.placesIn(segment);
    const single = singleVisits(visits, numbers, places);
    const { interactive, start, end, reached } = this.facts;
    addByGroup(chunk, single, this.counts);
    if (interactive !== null)
      addByGroup(chunk, bouncesOf(single, numbers, interactive), this.bounces);
    if (start !== null && end !== null)
      addByGroup(chunk, durationsOf(single, numbers, start, end), this.durationMs);
    if (reached !== null) {
      eachGroup(chunk, marksOf(single, numbers, reached), (group, visit) =>
        this.convert(group, numbers[visit]),
      );
    }
    if (several.count > 0) this.sets?.add(chunk, placesOf(numbers, places));
  }
  private convert(group: number, session: number): void {
    this.conversions[group]++;
    this.goal?.add(group, session);
  }

  /** Adds the sessions with several visits, after all rows. */
  private finish(): void {
    if (this.isEnded) return;
    this.isEnded = true;
    const { sessions } = this.of.several;
    const { interactive, start, end, reached } = this.facts;
    this.sets?.forEach((group, place) => {
      const session = sessions[place] ?? 0;
      this.counts[group]++;
      if (interactive !== null) this.bounces[group] += 1 - interactive[session];
      if (start !== null && end !== null) this.durationMs[group] += end[session] - start[session];
      if (reached !== null && reached[session] === 1) this.convert(group, session);
    });
  }
  value(group: number, metric: string): number | null {
    this.finish();
    const count = this.counts[group];
    switch (metric) {
      case "session_count":
      case "event_count":
        return count;
      case "bounce_rate":
        return bounceRate(this.bounces[group], count);
      case "avg_duration":
        return averageDuration(this.durationMs[group], count);
      case "conversions":
        return this.conversions[group];
      case "conversion_rate":
        return conversionRate(this.conversions[group], count);
      default:
        return this.goal?.value(group, metric, count) ?? null;
    }
  }
  end(): void {
    this.sets?.end();
  }
}

/** Marks the visits that are the only one of their session. */
const singleVisits = kernel(
  (visits: Uint8Array, numbers: Uint32Array, places: Uint32Array): Uint8Array => {
    const single = new Uint8Array(visits.length);
    for (let v = 0; v < single.length; v++)
      if (numbers[v] !== 0 && places[v] === 0) single[v] = visits[v];
    return single;
  },
);
/** Returns the places of the visits whose session counts; 0 for others. */
const placesOf = kernel((numbers: Uint32Array, places: Uint32Array): Uint32Array => {
  const counted = new Uint32Array(numbers.length);
  for (let v = 0; v < counted.length; v++) if (numbers[v] !== 0) counted[v] = places[v];
  return counted;
});
const bouncesOf = kernel(
  (single: Uint8Array, numbers: Uint32Array, interactive: Uint8Array): Uint8Array => {
    const bounces = new Uint8Array(single.length);
    for (let v = 0; v < bounces.length; v++) bounces[v] = single[v] & (1 - interactive[numbers[v]]);
    return bounces;
  },
);
const durationsOf = kernel(
  (
    single: Uint8Array,
    numbers: Uint32Array,
    start: Float64Array,
    end: Float64Array,
  ): Float64Array => {
    const durations = new Float64Array(single.length);
    for (let v = 0; v < durations.length; v++)
      if (single[v] === 1) durations[v] = end[numbers[v]] - start[numbers[v]];
    return durations;
  },
);
const marksOf = kernel(
  (single: Uint8Array, numbers: Uint32Array, reached: Uint8Array): Uint8Array => {
    const marks = new Uint8Array(single.length);
    for (let v = 0; v < marks.length; v++) marks[v] = single[v] & reached[numbers[v]];
    return marks;
  },
);

/** Adds the value of each visit to the groups of its rows, once to each. */
function addByGroup(chunk: Chunk, values: Uint8Array | Float64Array, sums: Float64Array): void {
  const { selection, byVisit } = chunk;
  if (byVisit === null) {
    const stamps = new Uint32Array(sums.length);
    addOfRows(chunk.groupsOfRows, selection.segment.firstRows, values, stamps, sums);
    return;
  }
  const { codes, size, starts, groups } = byVisit;
  const ofCodes = new Float64Array(size);
  addOfCodes(codes, values, ofCodes);
  for (let code = 0; code < size; code++) {
    if (ofCodes[code] === 0) continue;
    for (let at = starts[code]; at < starts[code + 1]; at++) sums[groups[at]] += ofCodes[code];
  }
}
const addOfCodes = kernel(
  (codes: Integers, values: Uint8Array | Float64Array, sums: Float64Array): void => {
    for (let v = 0; v < values.length; v++) sums[codes[v]] += values[v];
  },
);
const addOfRows = kernel(
  (
    groups: Int32Array,
    firstRows: Uint32Array,
    values: Uint8Array | Float64Array,
    stamps: Uint32Array,
    sums: Float64Array,
  ): void => {
    for (let v = 0; v < values.length; v++) {
      const value = values[v];
      if (value === 0) continue;
      const end = firstRows[v + 1];
      for (let i = firstRows[v]; i < end; i++) {
        const group = groups[i];
        if (group < 0 || stamps[group] === v + 1) continue;
        stamps[group] = v + 1;
        sums[group] += value;
      }
    }
  },
);

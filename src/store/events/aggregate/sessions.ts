import { averageDuration, bounceRate, conversionRate } from "../../../domain/session";
import type { Context } from "../filter/context";
import { kernel } from "../scan/kernel";
import type { Integers } from "../segment/codec";
import type { Reached } from "../session/reached";
import { numbersIn } from "../session/session-numbers";
import type { Sessions } from "../session/sessions";
import { DistinctSets, eachGroup } from "./distinct-sets";
import { GoalSums } from "./goal-sums";
import type { Aggregate, Chunk } from "./hash-aggregate";

/** The inputs of SessionsOfGroups. */
interface SessionInputs {
  /** Null where there are no sessions. */
  readonly sessions: Sessions | null;
  readonly reached: Reached | null;
}

/**
 * Counts the distinct sessions of each group, and sums facts about them. Nearly every session has one visit, which
 * counts at once in each group that has one of its rows, with the facts in its segment; sets collect the linked
 * sessions until the end.
 */
export class SessionsOfGroups implements Aggregate {
  private goal: GoalSums | null = null;
  private readonly wantsBounces: boolean;
  private readonly wantsDuration: boolean;
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
    this.wantsBounces = metrics.includes("bounce_rate");
    this.wantsDuration = metrics.includes("avg_duration");
  }

  begin(groups: number): void {
    const { budget, sparePlanes } = this.context;
    const linked = this.of.sessions?.links.count ?? 0;
    this.sets = new DistinctSets(groups, linked, budget, sparePlanes);
    this.counts = budget.doubles(groups);
    this.bounces = budget.doubles(groups);
    this.durationMs = budget.doubles(groups);
    this.conversions = budget.doubles(groups);
    const events = this.of.reached?.events ?? null;
    if (events !== null) this.goal = new GoalSums(events, groups, this.context);
  }
  update(chunk: Chunk): void {
    const { sessions, reached } = this.of;
    const numbers = numbersIn(sessions, chunk.selection.segment);
    // A segment without sessions has no numbers.
    if (sessions === null || numbers === undefined) return;
    const { segment, visits } = chunk.selection;
    const { links } = sessions;
    const places = links.placesOf(numbers);
    const single = singleVisits(visits, numbers, places);
    addByGroup(chunk, single, this.counts);
    if (this.wantsBounces)
      addByGroup(chunk, bouncesOf(single, segment.integers("visit.interactive")), this.bounces);
    if (this.wantsDuration)
      addByGroup(chunk, durationsOf(single, segment.integers("visit.duration")), this.durationMs);
    if (reached !== null) {
      eachGroup(chunk, marksOf(single, numbers, reached.marks), (group, visit) =>
        this.convert(group, numbers[visit]),
      );
    }
    if (links.count > 0) this.sets?.add(chunk, places);
  }
  private convert(group: number, session: number): void {
    this.conversions[group]++;
    this.goal?.add(group, session);
  }

  /** Adds the linked sessions, after all rows. */
  private finish(): void {
    const { sessions, reached } = this.of;
    if (this.isEnded || sessions === null) return;
    this.isEnded = true;
    const { links, linked } = sessions;
    const interactive = this.wantsBounces ? linked.interactive : null;
    const start = this.wantsDuration ? linked.start : null;
    const end = this.wantsDuration ? linked.end : null;
    this.sets?.forEach((group, place) => {
      this.counts[group]++;
      if (interactive !== null) this.bounces[group] += 1 - interactive[place];
      if (start !== null && end !== null) this.durationMs[group] += end[place] - start[place];
      const session = links.sessions[place];
      if (reached !== null && reached.marks[session] === 1) this.convert(group, session);
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
    this.goal?.end();
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
const bouncesOf = kernel((single: Uint8Array, interactive: Integers): Uint8Array => {
  const bounces = new Uint8Array(single.length);
  for (let v = 0; v < bounces.length; v++) bounces[v] = single[v] & (1 - interactive[v]);
  return bounces;
});
const durationsOf = kernel((single: Uint8Array, durations: Integers): Float64Array => {
  const ofSingle = new Float64Array(single.length);
  for (let v = 0; v < ofSingle.length; v++) if (single[v] === 1) ofSingle[v] = durations[v];
  return ofSingle;
});
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

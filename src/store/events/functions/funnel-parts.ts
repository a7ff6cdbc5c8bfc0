import type { FunnelRequest } from "../../../domain/counting";
import type { FilteredWindow } from "../../../domain/filter-items";
import type { FunnelResult, StepActivity } from "../../questions";
import type { Segment } from "../segment/segment";
import type { Context } from "./context";
import { sessionsOfFunnel } from "./funnel";
import { SeveralBySegment } from "./sessions/several-by-segment";
import type { SumsSoFar } from "./walks/funnel-sums";
import { activityOf, FunnelWalk, type SessionsOfFunnel, type StepTaken } from "./walks/funnel-walk";
import { UsedEvents } from "./walks/used-events";

/**
 * A funnel in parts of a window that follow each other. All parts take a step at the same time, each in its own events;
 * of what an entity used in several parts the earliest counts, and with that all of them take the next step. So each
 * part finds what one thread would find in its events.
 */

type Words = Uint32Array<ArrayBuffer>;

/** The segments of a part and their sessions, numbered alike in all parts, in memory that the threads share. */
export interface SessionsTold {
  /** Ids of the segments, ascending. */
  readonly segments: readonly number[];
  readonly numbers: SessionsOfFunnel["numbers"];
  /** Sessions of one visit with events in several parts are among them. */
  readonly several: Pick<SeveralBySegment, "count" | "segments"> | null;
}

/** What a part is told before it takes a step: at the first one its sessions, then what was used for the one before. */
export type StepTold =
  | { readonly sessions: SessionsTold; readonly used: null }
  | { readonly sessions: null; readonly used: Float64Array };

/** What a part found of a step. */
export interface StepOfPart {
  /** What each entity used (used-events.ts). */
  readonly used: Float64Array;
  readonly eventCount: number;
  readonly users: Words;
  readonly sessions: Words;
  readonly singleSessions: number;
  /** After the first step: the number of each entity's group, and the values of the groups. */
  readonly groups: { readonly numbers: Words; readonly values: readonly (string | null)[] } | null;
  /** After the last step: the sums of the sessions that are counted by themselves. */
  readonly sums: SumsSoFar | null;
}

/** There are more groups than are told to another thread. */
export type TooMany = "too many groups";

/** Begins a part of a funnel. Null when its segments are not those of the read: some have been merged meanwhile. */
export function beginPart(
  context: Context,
  segments: readonly Segment[],
  window: FilteredWindow,
  request: FunnelRequest,
  { segments: ids, numbers, several }: SessionsTold,
): FunnelWalk | null {
  if (idsOf(segments).join() !== ids.join()) return null;
  return new FunnelWalk(context, segments, window, request, {
    numbers,
    several: several && new SeveralBySegment(several.count, several.segments),
  });
}

/** Takes a step in a part. */
export function takeInPart(
  { tuning }: Context,
  walk: FunnelWalk,
  { steps }: FunnelRequest,
  step: number,
  told: StepTold["used"],
): StepOfPart | TooMany {
  if (told !== null) walk.goOnFrom(step - 1, told);
  const { eventCount, users, sessions, singleSessions } = walk.take(step);
  const { counted, groups } = walk;
  const values = step === 0 ? counted.values : null;
  if ((values?.length ?? 0) > tuning.toldGroupsMax) return "too many groups";
  return {
    used: walk.used[step].numbers,
    ...{ eventCount, users: users.asWords, sessions: sessions.asWords, singleSessions },
    groups: values === null || groups === null ? null : { numbers: groups, values },
    sums: step === steps.length - 1 ? counted.soFar : null,
  };
}

/** A funnel that this thread counts together with others. */
export class JoinedFunnel {
  private readonly walk: FunnelWalk;
  private readonly sessions: SessionsOfFunnel;
  /** By part, the numbers here of its groups. */
  private numbersOfGroups: readonly Words[] = [];

  /** `segments` are those of all parts; this thread's part is the one of the window. */
  constructor(
    private readonly context: Context,
    segments: readonly Segment[],
    within: readonly Segment[],
    window: FilteredWindow,
    private readonly request: FunnelRequest,
    private readonly cutsMs: readonly number[],
  ) {
    this.sessions = this.sessionsOf(segments);
    this.walk = new FunnelWalk(context, within, window, request, this.sessions);
  }

  /** Returns what another part is told of its sessions. */
  toldOf(segments: readonly Segment[]): SessionsTold {
    const { numbers, several } = this.sessions;
    const ids = idsOf(segments);
    const these = <Value>(all: ReadonlyMap<number, Value>): Map<number, Value> =>
      new Map(
        ids.flatMap((id) => {
          const value = all.get(id);
          return value === undefined ? [] : [[id, value] as const];
        }),
      );
    return {
      segments: ids,
      numbers: { count: numbers.count, of: these(numbers.of) },
      several: several && { count: several.count, segments: these(several.segments) },
    };
  }

  /** Takes a step in this thread's part. */
  take(step: number): StepTaken {
    return this.walk.take(step);
  }
  /** Joins a step of all parts. What each entity used is in `used` then. */
  join(step: number, taken: StepTaken, others: readonly StepOfPart[]): StepActivity {
    const { context, walk } = this;
    if (step === 0) this.numbersOfGroups = others.map(({ groups }) => this.numbersHere(groups));
    others.forEach((part, index) => {
      taken.eventCount += part.eventCount;
      taken.users.addWords(part.users);
      taken.sessions.addWords(part.sessions);
      taken.singleSessions += part.singleSessions;
      this.joinUsed(step, part);
      if (part.sums !== null) walk.counted.addPart(part.sums, this.numbersOfGroups[index]);
      context.check();
    });
    return activityOf(taken, this.request.count_by);
  }
  usedFor(step: number): Float64Array {
    return this.walk.used[step].numbers;
  }
  sums(): Pick<FunnelResult, "overall" | "groups"> {
    return this.walk.sums();
  }

  /** The longer of both arrays takes what the other one has. */
  private joinUsed(step: number, { used, groups: told }: StepOfPart): void {
    const { walk, context } = this;
    const { budget } = context;
    budget.take(used.byteLength);
    const here = walk.used[step];
    const isHereLonger = here.numbers.length >= used.length;
    if (!isHereLonger) walk.goOnFrom(step, used);
    const joined = walk.used[step];
    const others = isHereLonger ? new UsedEvents(used, []) : here;
    if (step > 0 || told === null || walk.groups === null) {
      joined.join(others, budget, null);
    } else {
      const [groups, of] = isHereLonger ? [walk.groups, told.numbers] : [told.numbers, walk.groups];
      joined.join(others, budget, (entity) => {
        groups[entity] = of[entity];
      });
      walk.groups = groups;
    }
    walk.takeSpare(others.numbers);
  }

  /** Gives the groups of a part the numbers that they have here, also in the part's entities. Returns these numbers. */
  private numbersHere(groups: StepOfPart["groups"]): Words {
    if (groups === null) return new Uint32Array(0);
    const { numbers, values } = groups;
    const here = Uint32Array.from(values, (value) => this.walk.counted.groupOf(value));
    if (values.length === 0) return here;
    for (let entity = 0; entity < numbers.length; entity++) numbers[entity] = here[numbers[entity]];
    return here;
  }

  /** Sessions whose only visit has events in several parts count among those of several visits. */
  private sessionsOf(segments: readonly Segment[]): SessionsOfFunnel {
    const { context, cutsMs, request } = this;
    const { numbers, several } = sessionsOfFunnel(context, segments, request);
    if (several === null) return { numbers, several };
    const more = new Map<number, Uint32Array>();
    for (const segment of segments) {
      context.check();
      const sessions = numbers.of.get(segment.id);
      const visits = sessions === undefined ? [] : visitsAcross(segment, cutsMs);
      const placeOf = several.placesIn(segment.id);
      const single = visits.filter((visit) => sessions?.[visit] !== 0 && placeOf(visit) === 0);
      if (single.length > 0) more.set(segment.id, Uint32Array.from(single));
    }
    return { numbers, several: several.withMore(more, context.budget) };
  }
}

const idsOf = (segments: readonly Segment[]): number[] =>
  segments.map(({ id }) => id).sort((one, other) => one - other);

/** Returns the visits of a segment that have events before one of these times and events after it, ascending. */
function visitsAcross(segment: Segment, cutsMs: readonly number[]): number[] {
  const { firstTime, lastTime } = segment;
  const cuts = cutsMs.filter((cutMs) => firstTime < cutMs && lastTime >= cutMs);
  if (cuts.length === 0) return [];
  const { firstRows, times, visitCount } = segment;
  const across: number[] = [];
  for (let visit = 0; visit < visitCount; visit++) {
    const first = firstTime + times[firstRows[visit]];
    const last = firstTime + times[firstRows[visit + 1] - 1];
    if (cuts.some((cutMs) => first < cutMs && last >= cutMs)) across.push(visit);
  }
  return across;
}

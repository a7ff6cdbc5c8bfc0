import type { FunnelGroup } from "../../../questions";
import type { Integers } from "../../segment/codec";
import type { Segment } from "../../segment/segment";
import type { Budget } from "../budget";
import type { UsedEvents } from "./used-events";

/** An object, two lists and a place in the map; the value and the numbers come to it. */
const groupBytes = 256;
const numberBytes = 8;

/** The values of a field in a segment: the code of each row, and the text that a code stands for. */
export interface Values {
  /** Null where all rows have code 0. */
  readonly codes: Integers | null;
  /** All codes are below it. */
  readonly size: number;
  textAt(code: number): string | null;
}

/** What is summed over entities: users or sessions, by the value of a field of the event that they used for step 1. */
export class FunnelSums {
  private readonly overall: FunnelGroup;
  private readonly groups: GroupsByValue | null;

  /** Entities used events of these segments. */
  constructor(
    segments: readonly Segment[],
    steps: number,
    /** Null without a breakdown. */
    valuesIn: ((segment: Segment) => Values) | null,
    private readonly budget: Budget,
  ) {
    this.overall = emptyGroup(null, steps);
    this.groups = valuesIn && new GroupsByValue(segments, valuesIn, steps, budget);
  }

  /** Returns the number of the group of an entity whose event of step 1 is this row of this segment, by its place. */
  groupAt(segment: number, row: number): number {
    return this.groups?.at(segment, row) ?? 0;
  }
  sumsOf(group: number): FunnelGroup {
    return this.groups?.all[group] ?? this.overall;
  }

  /**
   * Adds all entities that used an event for step 1. `used` are the events of each step, and `groups` the numbers of
   * the entities' groups.
   */
  add(used: readonly UsedEvents[], groups: Uint32Array | null): void {
    const { entityMax } = used[0];
    if (groups === null) {
      used.forEach((events, step) => {
        const { count, gapMs } = events.sums(used[step - 1] ?? null, this.budget);
        this.overall.users[step] += count;
        if (step > 0) this.overall.total_gap_ms[step - 1] += gapMs;
      });
      return;
    }
    this.budget.each(entityMax + 1, (entity) => {
      if (entity > 0 && used[0].has(entity)) addTo(this.sumsOf(groups[entity]), used, entity);
    });
  }

  /**
   * Returns the sums of all entities, and of each group that has some: an entity may have left its group, when an
   * earlier event of step 1 was found. Nothing is added any more, and this is asked once.
   */
  end(): { overall: FunnelGroup; groups: FunnelGroup[] } {
    const groups = this.groups?.all.filter(({ users }) => users[0] > 0) ?? [];
    for (const group of groups) addGroup(this.overall, group);
    return { overall: this.overall, groups };
  }
}

/** The codes of a segment's rows, and of each code the number of its group, plus 1; 0 where no entity had it so far. */
interface GroupsOfCodes extends Values {
  readonly groups: Uint32Array;
}

/** A group for each value of a field, which is looked for by text once for each segment. */
class GroupsByValue {
  /** In the order in which the values were met. */
  readonly all: FunnelGroup[] = [];
  private readonly numbers = new Map<string | null, number>();
  private readonly codes: (GroupsOfCodes | undefined)[] = [];

  constructor(
    private readonly segments: readonly Segment[],
    private readonly valuesIn: (segment: Segment) => Values,
    private readonly steps: number,
    private readonly budget: Budget,
  ) {}

  at(index: number, row: number): number {
    this.codes[index] ??= this.groupsOfCodes(index);
    const { codes, groups, textAt } = this.codes[index];
    const code = codes === null ? 0 : codes[row];
    groups[code] ||= 1 + this.numberOf(textAt(code));
    return groups[code] - 1;
  }
  numberOf(value: string | null): number {
    const known = this.numbers.get(value);
    if (known !== undefined) return known;
    this.budget.take(groupBytes + 2 * this.steps * numberBytes + (value?.length ?? 0));
    const number = this.all.push(emptyGroup(value, this.steps)) - 1;
    this.numbers.set(value, number);
    return number;
  }

  private groupsOfCodes(index: number): GroupsOfCodes {
    const values = this.valuesIn(this.segments[index]);
    return { ...values, groups: this.budget.words(values.size) };
  }
}

function addTo(
  { users, total_gap_ms: gaps }: FunnelGroup,
  used: readonly UsedEvents[],
  entity: number,
): void {
  for (let step = 0; step < used.length; step++) {
    const timeMs = used[step].timeOf(entity);
    if (timeMs === Number.POSITIVE_INFINITY) return;
    users[step]++;
    if (step > 0) gaps[step - 1] += timeMs - used[step - 1].timeOf(entity);
  }
}

/** Times are whole milliseconds, whose sums are the same in any order. */
function addGroup({ users, total_gap_ms: gaps }: FunnelGroup, group: FunnelGroup): void {
  for (let step = 0; step < users.length; step++) {
    users[step] += group.users[step];
    gaps[step] += group.total_gap_ms[step];
  }
}

const emptyGroup = (value: string | null, steps: number): FunnelGroup => ({
  value,
  users: Array(steps).fill(0),
  total_gap_ms: Array(steps).fill(0),
});

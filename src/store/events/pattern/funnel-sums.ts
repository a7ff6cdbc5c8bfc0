import type { FunnelGroup } from "../../questions";
import { countsOf } from "../aggregate/counts";
import type { Selection } from "../scan/selection";
import { type Key, rowCodesOf } from "../scan/vector";
import type { Integers } from "../segment/codec";
import type { Budget } from "../sets/budget";
import type { UsedEvents } from "./used-events";

/** The bytes of a group, without its value and its numbers. */
const groupBytes = 256;
const numberBytes = 8;

/** The codes of the rows (null: all have code 0), and the group of each code (null: codes are groups). */
interface GroupsOfRows {
  readonly codes: Integers | null;
  readonly groups: Uint32Array | null;
}

/**
 * Sums over entities, which are users or sessions, by the value of a field of the event that they used for step 1. A
 * group has the number that the key gives its value.
 */
export class FunnelSums {
  private readonly overall: FunnelGroup;
  private readonly groups = new Map<number, FunnelGroup>();
  /** By the place of a segment. */
  private readonly ofRows: GroupsOfRows[] = [];

  constructor(
    private readonly steps: number,
    /** Null without a breakdown. */
    private readonly key: Key | null,
    private readonly budget: Budget,
  ) {
    this.overall = emptyGroup(null, steps);
  }

  /** Looks up the values of the rows of step 1 in the segment at a place. */
  beginSegment(place: number, selection: Selection): void {
    const { key } = this;
    if (key === null) return;
    const [{ vector }] = key.pieces(selection.segment);
    const [groups = null] = vector.numbers(countsOf(selection, vector));
    this.ofRows[place] = { codes: rowCodesOf(selection.segment, vector), groups };
  }
  /** Returns the group of an entity whose event of step 1 is this row of the segment at a place. */
  groupAt(place: number, row: number): number {
    if (this.key === null) return 0;
    const { codes, groups } = this.ofRows[place];
    const code = codes === null ? 0 : codes[row];
    return groups === null ? code : groups[code];
  }
  sumsOf(group: number): FunnelGroup {
    if (this.key === null) return this.overall;
    const known = this.groups.get(group);
    if (known !== undefined) return known;
    const label = this.key.label(group);
    const value = label === null ? null : String(label);
    this.budget.take(groupBytes + 2 * this.steps * numberBytes + (value?.length ?? 0));
    const sums = emptyGroup(value, this.steps);
    this.groups.set(group, sums);
    return sums;
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
   * Returns the sums of all entities, and of each group that has entities: an entity leaves its group if the walk finds
   * an earlier event of step 1. Call it once, after everything was added.
   */
  end(): { overall: FunnelGroup; groups: FunnelGroup[] } {
    const groups = [...this.groups.values()].filter(({ users }) => users[0] > 0);
    for (const group of groups) addGroup(this.overall, group);
    return { overall: this.overall, groups };
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

import type { FunnelRequest } from "../../../../domain/counting";
import { textOf } from "../../../../domain/filter";
import type { FunnelGroup } from "../../../questions";
import type { Integers } from "../../segment/codec";
import type { Budget } from "../budget";
import type { UsedEvents } from "./used-events";

/** An object, two lists and a place in the map; the value and the numbers come to it. */
const groupBytes = 256;
const numberBytes = 8;

/** Sums over all entities, and per breakdown value of the event that an entity used for step 1. */
export function groupsOf(
  used: readonly UsedEvents[],
  { steps, breakdown }: FunnelRequest,
  budget: Budget,
): { overall: FunnelGroup; groups: FunnelGroup[] } {
  const overall = emptyGroup(null, steps.length);
  const [first] = used;
  const groups =
    breakdown === null ? null : new GroupsByValue(first, breakdown, steps.length, budget);
  budget.each((first?.entityMax ?? -1) + 1, (entity) => {
    if (entity === 0 || !first.has(entity)) return;
    addTo(groups === null ? overall : groups.groupOf(entity), used, entity);
  });
  for (const group of groups?.all ?? []) addGroup(overall, group);
  return { overall, groups: groups?.all ?? [] };
}

/** The codes of a segment's rows, and the number of the group of each code; 0 where no entity had it so far. */
interface GroupsOfCodes {
  readonly codes: Integers | null;
  readonly groups: Uint32Array;
}

/** A group for each value of a field, which is looked for by text once for each segment. */
class GroupsByValue {
  /** In the order in which the values were met. */
  readonly all: FunnelGroup[] = [];
  private readonly numbers = new Map<string | null, number>();
  private readonly segments: (GroupsOfCodes | undefined)[] = [];
  private readonly column: string;

  constructor(
    private readonly used: UsedEvents,
    /** `country` or `properties.<key>`. */
    field: string,
    private readonly steps: number,
    private readonly budget: Budget,
  ) {
    this.column = field === "country" ? "event.country" : field.replace("properties.", "property.");
  }

  /** Returns the group of the event that the entity used. */
  groupOf(entity: number): FunnelGroup {
    const index = this.used.segmentOf(entity);
    this.segments[index] ??= this.groupsOfCodes(index);
    const { codes, groups } = this.segments[index];
    const code = codes === null ? 0 : codes[this.used.rowOf(entity, index)];
    groups[code] ||= this.numberOf(index, code);
    return this.all[groups[code] - 1];
  }

  private groupsOfCodes(index: number): GroupsOfCodes {
    const segment = this.used.segments[index];
    const codes = segment.codes(this.column);
    const size = codes === null ? 0 : segment.dictionary(this.column).length;
    return { codes, groups: this.budget.words(size + 1) };
  }
  private numberOf(index: number, code: number): number {
    const { column, used } = this;
    const value = code === 0 ? null : textOf(used.segments[index].dictionary(column)[code - 1]);
    const known = this.numbers.get(value);
    if (known !== undefined) return known;
    this.budget.take(groupBytes + 2 * this.steps * numberBytes + (value?.length ?? 0));
    const number = this.all.push(emptyGroup(value, this.steps));
    this.numbers.set(value, number);
    return number;
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

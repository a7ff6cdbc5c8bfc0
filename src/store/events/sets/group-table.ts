import { ApiError } from "../../../domain/errors";
import { countGroupsMax } from "../../../domain/limits";
import { withSeparators } from "../../../lib/text";
import { type Budget, grownLength, valuesPerCheck } from "./budget";

const slotsMin = 256;
const groupsMin = 64;

/**
 * Numbers groups: each different combination of numbers is a group. There may be millions of groups, so a group has no
 * texts or objects and takes a few bytes.
 */
export class GroupTable {
  private count = 0;
  /** Group + 1; 0 = free. */
  private slots = new Uint32Array(slotsMin);
  /** For each place in a combination, the numbers by group. */
  private readonly columns: Uint32Array<ArrayBuffer>[];

  constructor(
    places: number,
    private readonly budget: Budget,
    private readonly groupsMax = countGroupsMax,
  ) {
    this.columns = Array.from({ length: places }, () => new Uint32Array(groupsMin));
  }

  get size(): number {
    return this.count;
  }
  numberAt(group: number, place: number): number {
    return this.columns[place][group];
  }

  /** Returns the group of a combination, a new group for a new combination. */
  groupOf(numbers: Uint32Array): number {
    let slot = this.firstSlot(numbers);
    while (this.slots[slot] !== 0) {
      const group = this.slots[slot] - 1;
      if (this.isEqual(group, numbers)) return group;
      slot = (slot + 1) & (this.slots.length - 1);
    }
    if (this.count === this.groupsMax) throw tooManyGroups(this.groupsMax);
    if (this.count === this.columns[0]?.length) this.widen();
    const group = this.count++;
    this.slots[slot] = group + 1;
    for (let place = 0; place < this.columns.length; place++) {
      this.columns[place][group] = numbers[place];
    }
    if (this.count * 4 > this.slots.length * 3) this.rebuild();
    return group;
  }

  private isEqual(group: number, numbers: Uint32Array): boolean {
    for (let place = 0; place < this.columns.length; place++) {
      if (this.columns[place][group] !== numbers[place]) return false;
    }
    return true;
  }
  private firstSlot(numbers: Uint32Array): number {
    // Single numbers are dense, so each gets its own slot, in order.
    if (this.columns.length === 1) return numbers[0] & (this.slots.length - 1);
    let hash = 0;
    for (let place = 0; place < this.columns.length; place++) {
      hash = Math.imul(hash ^ numbers[place], 0x9e3779b1);
      hash ^= hash >>> 15;
    }
    return hash & (this.slots.length - 1);
  }
  private widen(): void {
    const { budget, columns } = this;
    columns.forEach((column, place) => {
      columns[place] = budget.widerWords(column, grownLength(column.length));
    });
  }
  private rebuild(): void {
    const { budget } = this;
    const slots = budget.words(this.slots.length * 2);
    budget.giveBack(this.slots.byteLength);
    this.slots = slots;
    const numbers = new Uint32Array(this.columns.length);
    for (let group = 0; group < this.count; group++) {
      if (group % valuesPerCheck === 0) budget.check();
      for (let place = 0; place < numbers.length; place++) {
        numbers[place] = this.columns[place][group];
      }
      let slot = this.firstSlot(numbers);
      while (this.slots[slot] !== 0) slot = (slot + 1) & (this.slots.length - 1);
      this.slots[slot] = group + 1;
    }
  }
}

export const tooManyGroups = (max: number): ApiError =>
  new ApiError(
    "QUERY_FAILED",
    `There are more than ${withSeparators(max)} groups. Group by less, filter more, or ask for fewer days.`,
  );

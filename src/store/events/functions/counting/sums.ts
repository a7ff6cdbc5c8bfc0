import type { Budget } from "../budget";

const lengthMin = 1_024;
/** Up to here in one array, where a place is found without a look at which part it is in. */
const firstLengthMax = 1 << 16;
const partBits = 16;
const partLength = 1 << partBits;

/**
 * A growing array of numbers, 0 at first. Most reads need few places: these are in one array. Further ones are in
 * parts, so that millions are never there twice.
 */
export class Sums {
  private first: Float64Array<ArrayBuffer>;
  private readonly parts: Float64Array[] = [];

  /** Places are below `length`, as far as the caller can tell. */
  constructor(
    private readonly budget: Budget,
    length = lengthMin,
  ) {
    this.first = budget.doubles(length);
  }

  add(at: number, amount: number): void {
    if (at >= this.first.length) this.addFurther(at, amount);
    else this.first[at] += amount;
  }
  /** Adds at each place the step that the bounds take there, of which there is one more. */
  addSteps(places: Uint32Array, bounds: Uint32Array): void {
    let { first } = this;
    for (let i = 0; i < places.length; ) {
      const end = this.budget.checkedUntil(i, places.length);
      for (; i < end; i++) {
        const at = places[i];
        const step = bounds[i + 1] - bounds[i];
        if (at < first.length) first[at] += step;
        else {
          this.addFurther(at, step);
          first = this.first;
        }
      }
    }
  }
  of(at: number): number {
    if (at < this.first.length) return this.first[at];
    const place = at - this.first.length;
    return this.parts[place >>> partBits]?.[place & (partLength - 1)] ?? 0;
  }
  /** Places that are not 0. */
  members(): Uint32Array {
    const { budget, first, parts } = this;
    const all = [first, ...parts];
    const members = budget.words(all.reduce((sum, part) => sum + usedIn(part, budget), 0));
    let next = 0;
    let before = 0;
    for (const part of all) {
      for (let i = 0; i < part.length; ) {
        const end = budget.checkedUntil(i, part.length);
        for (; i < end; i++) if (part[i] !== 0) members[next++] = before + i;
      }
      before += part.length;
    }
    return members;
  }

  private addFurther(at: number, amount: number): void {
    const { budget, first, parts } = this;
    if (first.length < firstLengthMax) {
      this.first = budget.widerDoubles(first, Math.min(firstLengthMax, at * 2));
      this.add(at, amount);
      return;
    }
    const place = at - first.length;
    while (parts.length <= place >>> partBits) parts.push(budget.doubles(partLength));
    parts[place >>> partBits][place & (partLength - 1)] += amount;
  }
}

function usedIn(values: Float64Array, budget: Budget): number {
  let used = 0;
  for (let i = 0; i < values.length; ) {
    const end = budget.checkedUntil(i, values.length);
    for (; i < end; i++) if (values[i] !== 0) used++;
  }
  return used;
}

import { type Budget, valuesPerCheck } from "../budget";

const partBits = 12;
const partLength = 1 << partBits;
const partsPerCheck = valuesPerCheck / partLength;

/** A growing array of numbers, 0 at first. It grows by parts, so that it is never there twice. */
export class Sums {
  private readonly parts: Float64Array[] = [];

  constructor(private readonly budget: Budget) {}

  add(at: number, amount: number): void {
    const part = this.parts[at >>> partBits] ?? this.partFor(at);
    part[at & (partLength - 1)] += amount;
  }
  of(at: number): number {
    return this.parts[at >>> partBits]?.[at & (partLength - 1)] ?? 0;
  }
  /** Places that are not 0. */
  members(): Uint32Array {
    const { budget, parts } = this;
    let count = 0;
    for (let p = 0; p < parts.length; p++) {
      if (p % partsPerCheck === 0) budget.check();
      const part = parts[p];
      for (let i = 0; i < partLength; i++) if (part[i] !== 0) count++;
    }
    const members = budget.words(count);
    let next = 0;
    for (let p = 0; p < parts.length; p++) {
      if (p % partsPerCheck === 0) budget.check();
      const part = parts[p];
      for (let i = 0; i < partLength; i++) {
        if (part[i] !== 0) members[next++] = p * partLength + i;
      }
    }
    return members;
  }

  private partFor(at: number): Float64Array {
    while (this.parts.length <= at >>> partBits) this.parts.push(this.budget.doubles(partLength));
    return this.parts[at >>> partBits];
  }
}

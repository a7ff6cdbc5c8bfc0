import { widened } from "../sets/widened";

/** The links of users by target, to find all numbers that stand for a user. */
export class LinkedNumbers {
  /** By number: the last one that was linked to it; 0 = none. */
  private last = new Uint32Array(0);
  /** By linked number: the number that was linked to the same target before it; 0 = none. */
  private before = new Uint32Array(0);

  /** `linkedTo` has by number the number that it is linked to; 0 = none. */
  constructor(linkedTo: Uint32Array) {
    for (let number = 0; number < linkedTo.length; number++) {
      if (linkedTo[number] > 0) this.add(number, linkedTo[number]);
    }
  }

  add(number: number, to: number): void {
    const largest = Math.max(number, to);
    if (largest >= this.last.length) {
      this.last = widened(Uint32Array, this.last, 2 * (largest + 1));
      this.before = widened(Uint32Array, this.before, 2 * (largest + 1));
    }
    this.before[number] = this.last[to];
    this.last[to] = number;
  }

  /** Returns a number and all numbers that are linked to it, directly or through others. */
  leadingTo(number: number): number[] {
    const numbers = [number];
    for (let at = 0; at < numbers.length; at++) {
      const to = numbers[at];
      let linked = to < this.last.length ? this.last[to] : 0;
      for (; linked > 0; linked = this.before[linked]) numbers.push(linked);
    }
    return numbers;
  }
}

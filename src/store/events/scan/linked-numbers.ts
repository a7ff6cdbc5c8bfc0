import { widened } from "../sets/widened";

/** Which numbers of users are linked to which, for walks from a number to those that stand for it. */
export class LinkedNumbers {
  /** By number: the last one that was linked to it; 0 = none. */
  private last = new Uint32Array(0);
  /** By linked number: the one that was linked to the same before it; 0 = none. */
  private before = new Uint32Array(0);

  /** `linkedTo` has by number the one that it is linked to; 0 = none. */
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

  /** Returns the number and all that are linked to it, to one of these, and so on. */
  leadingTo(number: number): number[] {
    const found = [number];
    for (let at = 0; at < found.length; at++) {
      const to = found[at];
      let linked = to < this.last.length ? this.last[to] : 0;
      for (; linked > 0; linked = this.before[linked]) found.push(linked);
    }
    return found;
  }
}

const placesMin = 1_024;

/** A growing array of numbers, 0 at first. */
export class Sums {
  private values = new Float64Array(placesMin);

  add(at: number, amount: number): void {
    if (at >= this.values.length) {
      const larger = new Float64Array(Math.max(at + 1, this.values.length * 2));
      larger.set(this.values);
      this.values = larger;
    }
    this.values[at] += amount;
  }
  of(at: number): number {
    return at < this.values.length ? this.values[at] : 0;
  }
  /** Places that are not 0. */
  members(): Uint32Array {
    const { values } = this;
    let count = 0;
    for (let i = 0; i < values.length; i++) if (values[i] !== 0) count++;
    const members = new Uint32Array(count);
    for (let i = 0, next = 0; i < values.length; i++) if (values[i] !== 0) members[next++] = i;
    return members;
  }
}

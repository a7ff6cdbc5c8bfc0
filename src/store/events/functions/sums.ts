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
  members(): number[] {
    const members: number[] = [];
    for (let i = 0; i < this.values.length; i++) if (this.values[i] !== 0) members.push(i);
    return members;
  }
}

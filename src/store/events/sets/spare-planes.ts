import type { Budget } from "./budget";

const sparePlaneBytesMax = 16 * 1024 * 1024;

/**
 * A pool of planes (aggregate/distinct-sets.ts) for counts that follow each other, such as one for each day: a plane in
 * new memory would be slower and leave garbage.
 */
export class SparePlanes {
  private planes: Uint32Array<ArrayBuffer>[] = [];
  private bytes = 0;

  /** Returns a plane of zeros with at least the given number of words. Its bytes count in the budget. */
  take(length: number, budget: Budget): Uint32Array<ArrayBuffer> {
    const at = this.planes.findIndex(
      (plane) => plane.length >= length && plane.length <= 2 * length,
    );
    if (at < 0) return budget.words(length);
    const [plane] = this.planes.splice(at, 1);
    this.bytes -= plane.byteLength;
    budget.take(plane.byteLength);
    return plane.fill(0);
  }
  /** Takes back a plane that a count no longer uses. */
  giveBack(plane: Uint32Array<ArrayBuffer>, budget: Budget): void {
    if (this.bytes + plane.byteLength > sparePlaneBytesMax) {
      budget.giveBack(plane.byteLength);
      return;
    }
    budget.putAside(plane.byteLength);
    this.bytes += plane.byteLength;
    this.planes.push(plane);
  }
  clear(): void {
    this.planes = [];
    this.bytes = 0;
  }
}

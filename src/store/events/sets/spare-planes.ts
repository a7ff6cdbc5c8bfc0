import type { Budget } from "./budget";

/** The bytes of planes that completed counts have returned. */
const sparePlaneBytesMax = 16 * 1024 * 1024;

/**
 * Planes (aggregate/distinct-sets.ts) that serve one count after the other, such as one for each day: new memory is
 * slower than memory in use, and leaves garbage.
 */
export class SparePlanes {
  private planes: Uint32Array<ArrayBuffer>[] = [];
  private bytes = 0;

  /** All zero, of at least the given number of words, as far as the budget allows. */
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
  keep(plane: Uint32Array<ArrayBuffer>, budget: Budget): void {
    if (this.bytes + plane.byteLength > sparePlaneBytesMax) {
      budget.giveBack(plane.byteLength);
      return;
    }
    budget.putAside(plane.byteLength);
    this.bytes += plane.byteLength;
    this.planes.push(plane);
  }
  letGo(): void {
    this.planes = [];
    this.bytes = 0;
  }
}

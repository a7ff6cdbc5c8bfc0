import { fullGC } from "bun:jsc";
import { ApiError } from "../../../domain/errors";
import { free } from "../../../lib/free";
import { type Tuning, usualTuning } from "../tuning";

/** A loop over this number of values takes a few milliseconds: it looks now and then whether it should go on. */
export const valuesPerCheck = 16_384;

/** A longer array grows by less at a time: while it does, it is there twice. */
const largeLength = 1 << 22;
export const grownLength = (length: number): number =>
  length < largeLength ? length * 2 : length + (length >>> 2);

/** Less than this is left to the engine. */
const smallGarbageBytesMax = 16 * 1024 * 1024;
/** Less than this is not worth a collection after a read, where more may gather during one. */
const garbageLeftMin = 32 * 1024 * 1024;

/**
 * The resources that a question may take: time, until it is cancelled, and memory for its tables, which is reserved
 * before they are made. The engine collects what was let go of when that is as much as what is in use: it is asked to
 * sooner, before more is taken, and after a read, once its answer is on its way.
 */
export class Budget {
  private taken = 0;
  private garbage = 0;

  /** `check` throws when the read has been cancelled. */
  constructor(
    readonly check: () => void,
    readonly tuning: Tuning = usualTuning,
  ) {}

  get bytes(): number {
    return this.taken;
  }

  /** Throws when less than this is left. */
  take(bytes: number): void {
    const { questionBytesMax } = this.tuning;
    if (this.taken + bytes > questionBytesMax) throw tooMuch(questionBytesMax);
    this.taken += bytes;
    this.collectIfDue();
  }
  giveBack(bytes: number): void {
    this.taken -= bytes;
    this.letGo(bytes);
  }
  /** Gives back an array that nobody looks at any more. */
  free(array: Uint32Array): void {
    this.taken -= array.byteLength;
    this.letGo(free(array));
  }
  /** Gives back the bytes of what is kept for another, and therefore is no garbage. */
  putAside(bytes: number): void {
    this.taken -= bytes;
  }
  /** Gives back what was taken since `bytes` was read: nothing of it is used any more. */
  giveBackTo(bytes: number): void {
    if (this.taken > bytes) this.giveBack(this.taken - bytes);
  }
  /** Counts garbage of bytes that were not taken from this budget. */
  letGo(bytes: number): void {
    this.garbage += bytes;
  }
  collectIfDue(): void {
    if (this.garbage >= this.tuning.garbageBytesMax) this.collect();
  }
  /**
   * It takes 0.4 ms, and 35 with a full cache of 3 GB. Bun.gc(true) takes 15 and 85, as it gives all free memory back
   * to the system too, which then has to fill the pages of the next read with zeros, one by one. Of itself memory goes
   * back a moment after it was used.
   */
  collect(): void {
    this.garbage = 0;
    fullGC();
  }
  /** Tells whether a collection pays when there is time for it. */
  get isGarbageLeft(): boolean {
    return this.garbage >= Math.min(garbageLeftMin, this.tuning.garbageBytesMax);
  }

  /**
   * Frees memory between two questions. What is kept of it belongs to the cache from now on; what small questions
   * leave, the engine collects in time by itself.
   */
  endQuestion(keptBytes = 0): void {
    this.putAside(Math.min(keptBytes, this.taken));
    this.giveBackTo(0);
    if (this.garbage < smallGarbageBytesMax) this.garbage = 0;
  }

  bytesOf(length: number): Uint8Array<ArrayBuffer> {
    this.take(length);
    return new Uint8Array(length);
  }
  words(length: number): Uint32Array<ArrayBuffer> {
    this.take(length * Uint32Array.BYTES_PER_ELEMENT);
    return new Uint32Array(length);
  }
  integers(length: number): Int32Array<ArrayBuffer> {
    this.take(length * Int32Array.BYTES_PER_ELEMENT);
    return new Int32Array(length);
  }
  doubles(length: number): Float64Array<ArrayBuffer> {
    this.take(length * Float64Array.BYTES_PER_ELEMENT);
    return new Float64Array(length);
  }
  /** A longer array in place of `values`, which is let go of. */
  widerWords(values: Uint32Array<ArrayBuffer>, length: number): Uint32Array<ArrayBuffer> {
    const wider = this.words(length);
    wider.set(values);
    this.giveBack(values.byteLength);
    return wider;
  }
  widerDoubles(values: Float64Array<ArrayBuffer>, length: number): Float64Array<ArrayBuffer> {
    const wider = this.doubles(length);
    wider.set(values);
    this.giveBack(values.byteLength);
    return wider;
  }
  /**
   * Checks, and returns where a loop of `length` steps that is at `from` checks again. A call within the loop itself
   * would make each step of a short one three times as long.
   */
  checkedUntil(from: number, length: number, perCheck = valuesPerCheck): number {
    this.check();
    return Math.min(length, from + perCheck);
  }
  /**
   * Calls `see` for each position below `length`, and checks now and then. Many functions are called from here, so that
   * none of them is compiled into the loop: what does little for each of many values has a loop of its own.
   */
  each(length: number, see: (place: number) => void): void {
    for (let place = 0; place < length; place++) {
      if (place % valuesPerCheck === 0) this.check();
      see(place);
    }
  }
}

const tooMuch = (bytesMax: number): ApiError =>
  new ApiError(
    "QUERY_FAILED",
    `The read would take more than ${Math.round(bytesMax / 1024 / 1024)} MB for its groups, ` +
      "users and sessions. Group by less, filter more, or ask for fewer days.",
  );

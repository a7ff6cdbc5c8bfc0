import { fullGC } from "bun:jsc";
import { ApiError } from "../../../domain/errors";
import { free } from "../../../lib/free";
import { type Tuning, usualTuning } from "../tuning";

/** A loop over this number of values takes a few milliseconds. Then it checks whether the read was cancelled. */
export const valuesPerCheck = 16_384;

/** A longer array grows by a smaller factor, as the old and the new array need memory at the same time. */
const largeLength = 1 << 22;
export const grownLength = (length: number): number =>
  length < largeLength ? length * 2 : length + (length >>> 2);

/** The runtime collects less garbage than this by itself. */
const smallGarbageBytesMax = 16 * 1024 * 1024;
/** Less garbage than this is not worth a collection after a read. */
const garbageLeftMin = 32 * 1024 * 1024;

/**
 * The resources of a question: time, until the read is cancelled, and memory for tables. A question takes bytes from
 * the budget before it allocates a table, and gives them back when it no longer uses the table. The runtime collects
 * garbage only when there is as much of it as memory in use. The budget starts a collection sooner: before it gives
 * out more memory, and after a read whose answer was sent.
 */
export class Budget {
  private used = 0;
  private garbage = 0;

  /** `check` throws when the read has been cancelled. */
  constructor(
    readonly check: () => void,
    readonly tuning: Tuning = usualTuning,
  ) {}

  get bytes(): number {
    return this.used;
  }

  /** Reserves bytes for a table. Throws if the budget has fewer left. */
  take(bytes: number): void {
    const { questionBytesMax } = this.tuning;
    if (this.used + bytes > questionBytesMax) throw tooMuch(questionBytesMax);
    this.used += bytes;
    this.collectIfDue();
  }
  giveBack(bytes: number): void {
    this.used -= bytes;
    this.addGarbage(bytes);
  }
  /** Gives back an array and frees its memory. The caller must not use it again. */
  free(array: Uint32Array): void {
    this.used -= array.byteLength;
    this.addGarbage(free(array));
  }
  /** Gives back the bytes of an object that stays in use elsewhere, such as in the cache, and is not garbage. */
  putAside(bytes: number): void {
    this.used -= bytes;
  }
  /** Gives back all bytes above an earlier value of `bytes`. The caller no longer uses the tables made since then. */
  giveBackTo(bytes: number): void {
    if (this.used > bytes) this.giveBack(this.used - bytes);
  }
  /** Adds to the garbage bytes that were not taken from this budget. */
  addGarbage(bytes: number): void {
    this.garbage += bytes;
  }
  collectIfDue(): void {
    if (this.garbage >= this.tuning.garbageBytesMax) this.collect();
  }
  /**
   * A collection takes 0.4 ms, and 35 ms with a full cache of 3 GB. Bun.gc(true) takes 15 ms and 85 ms, as it also
   * returns all free memory to the system, which then has to fill each page with zeros for the next read. Without it
   * the runtime returns free memory a moment later.
   */
  collect(): void {
    this.garbage = 0;
    fullGC();
  }
  /** Tells whether there is enough garbage for a collection after a read. */
  get isGarbageLeft(): boolean {
    return this.garbage >= Math.min(garbageLeftMin, this.tuning.garbageBytesMax);
  }

  /**
   * Gives back all bytes after a question. `cachedBytes` of them belong to the cache from now on and are no garbage.
   * The runtime collects the garbage of small questions by itself.
   */
  endQuestion(cachedBytes = 0): void {
    this.putAside(Math.min(cachedBytes, this.used));
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
  /** Returns a longer array with the same values, and gives back the bytes of `values`. */
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
   * Checks, and returns the end of the next part of a loop over `length` values, before which the loop need not check.
   * A call at each value would make short loops three times slower.
   */
  checkedUntil(from: number, length: number, perCheck = valuesPerCheck): number {
    this.check();
    return Math.min(length, from + perCheck);
  }
  /**
   * Calls `see` for each place below `length`, and checks now and then. As many callers share this loop, the compiler
   * cannot inline their functions. So callers that do little work for each value have their own loops.
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

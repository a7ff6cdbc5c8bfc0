import type { KeyList } from "./key-list";

/** One key in a hundred that is not there looks as if it were. */
const bitsPerKeyMax = 10;
/** A filter with fewer bits would let nearly everything through. */
const bitsPerKeyMin = 2;

/** Blocks whose filters are stored, loaded and let go of together. */
export const blocksPerChunk = 64;

/** Bytes per block of a new filter, as far as memory goes; 0 = none. */
export function filterBytesFor(keyCount: number, blockCount: number, bytesFree: number): number {
  const wanted = Math.ceil((keyCount * bitsPerKeyMax) / 8 / blockCount);
  const bytes = Math.min(wanted, Math.floor(bytesFree / blockCount));
  return bytes * 8 * blockCount < keyCount * bitsPerKeyMin ? 0 : bytes;
}

/** A Bloom filter for each block: whether a key may be in it. */
export class BlockFilter {
  private readonly bits: number;
  private readonly probes: number;

  constructor(
    private readonly bytesPerBlock: number,
    keysPerBlock: number,
  ) {
    this.bits = bytesPerBlock * 8;
    this.probes = Math.max(1, Math.round((Math.LN2 * this.bits) / keysPerBlock));
  }
  newChunk(): Uint8Array {
    return new Uint8Array(blocksPerChunk * this.bytesPerBlock);
  }
  /** Enters the keys from … to of a list as those of one block. */
  add(chunk: Uint8Array, block: number, keys: KeyList, from: number, to: number): void {
    const base = (block % blocksPerChunk) * this.bytesPerBlock;
    for (let i = from; i < to; i++) {
      const step = stepOf(keys.high[i], keys.low[i]);
      let hash = keys.low[i];
      for (let probe = 0; probe < this.probes; probe++) {
        const bit = ((hash >>> 16) * this.bits) >>> 16;
        chunk[base + (bit >>> 3)] |= 1 << (bit & 7);
        hash = (hash + step) | 0;
      }
    }
  }
  mayHave(chunk: Uint8Array, block: number, high: number, low: number): boolean {
    const base = (block % blocksPerChunk) * this.bytesPerBlock;
    const step = stepOf(high, low);
    let hash = low;
    for (let probe = 0; probe < this.probes; probe++) {
      const bit = ((hash >>> 16) * this.bits) >>> 16;
      if ((chunk[base + (bit >>> 3)] & (1 << (bit & 7))) === 0) return false;
      hash = (hash + step) | 0;
    }
    return true;
  }
}

/** The first bits of the upper half are the same for all keys of a block: mixed with the lower half they still tell. */
const stepOf = (high: number, low: number): number => Math.imul(high ^ low, 0x9e3779b1) | 1;

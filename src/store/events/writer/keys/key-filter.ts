import type { KeyList } from "./key-list";

/** The filter wrongly reports one absent key in a hundred as present. */
const bitsPerKeyMax = 10;
/** A filter with fewer bits would report nearly every absent key as present. */
const bitsPerKeyMin = 2;

/** Blocks whose filters are stored, loaded and released together. */
export const blocksPerChunk = 64;

/** Returns the bytes per block of a new filter; 0 if there is no memory for one. */
export function filterBytesFor(keyCount: number, blockCount: number, bytesFree: number): number {
  const wanted = Math.ceil((keyCount * bitsPerKeyMax) / 8 / blockCount);
  const bytes = Math.min(wanted, Math.floor(bytesFree / blockCount));
  return bytes * 8 * blockCount < keyCount * bitsPerKeyMin ? 0 : bytes;
}

/** A Bloom filter for each block. It tells whether a key may be in the block. */
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
  /** Adds the keys `from` to `to` of a list as those of one block. */
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

/** All keys of a block have the same first bits, so the hash mixes the upper half with the lower half. */
const stepOf = (high: number, low: number): number => Math.imul(high ^ low, 0x9e3779b1) | 1;

/** Keys (64-bit hashes in two halves) in ascending order, each with the time at which it was accepted. */
export interface KeyList {
  readonly high: Uint32Array;
  readonly low: Uint32Array;
  readonly atMs: Float64Array;
  readonly length: number;
}

/** The layout of the records in a run's blocks. A run has 2^blockBits blocks, by the first bits of the key. */
export interface BlockForm {
  readonly blockBits: number;
  /** The records store times relative to the first one. */
  readonly firstAtMs: number;
  readonly lastAtMs: number;
}

const keysPerBlock = 128;
const blockBitsMax = 20;

export function newKeyList(capacity: number): KeyList {
  return {
    high: new Uint32Array(capacity),
    low: new Uint32Array(capacity),
    atMs: new Float64Array(capacity),
    length: 0,
  };
}

/** Merges two lists. A key that is in both keeps the later time. */
export function mergeKeys(a: KeyList, b: KeyList): KeyList {
  const { high, low, atMs } = newKeyList(a.length + b.length);
  let i = 0;
  let j = 0;
  let length = 0;
  while (i < a.length || j < b.length) {
    const order = i === a.length ? 1 : j === b.length ? -1 : compareAt(a, i, b, j);
    const from = order <= 0 ? a : b;
    const at = order <= 0 ? i : j;
    high[length] = from.high[at];
    low[length] = from.low[at];
    atMs[length] = order === 0 ? Math.max(a.atMs[i], b.atMs[j]) : from.atMs[at];
    length++;
    if (order <= 0) i++;
    if (order >= 0) j++;
  }
  return { high, low, atMs, length };
}

/** The records of one block: the bits of the key that the number of the block does not give, then the time. */
export function packBlock(keys: KeyList, from: number, to: number, form: BlockForm): Uint8Array {
  const { highBytes, timeBytes, width } = widthsOf(form);
  const block = new Uint8Array((to - from) * width);
  for (let i = from, at = 0; i < to; i++) {
    at = writeBytes(block, at, keys.high[i], highBytes);
    at = writeBytes(block, at, keys.low[i], 4);
    at = writeBytes(block, at, keys.atMs[i] - form.firstAtMs, timeBytes);
  }
  return block;
}

export function unpackBlock(block: Uint8Array, number: number, form: BlockForm): KeyList {
  const { highBytes, timeBytes, width } = widthsOf(form);
  const length = block.length / width;
  const { high, low, atMs } = newKeyList(length);
  const known = highBytes === 4 ? 0 : (number << (32 - form.blockBits)) & ~maskOf(highBytes);
  for (let i = 0, at = 0; i < length; i++, at += width) {
    high[i] = known | readBytes(block, at, highBytes);
    low[i] = readBytes(block, at + highBytes, 4);
    atMs[i] = form.firstAtMs + readBytes(block, at + highBytes + 4, timeBytes);
  }
  return { high, low, atMs, length };
}

/** Returns when a key of a block was accepted; null if the block does not have it. */
export function findInBlock(
  block: Uint8Array,
  high: number,
  low: number,
  form: BlockForm,
): number | null {
  const { highBytes, timeBytes, width } = widthsOf(form);
  const wanted = highBytes === 4 ? high : high & maskOf(highBytes);
  let from = 0;
  let to = block.length / width;
  while (from < to) {
    const middle = (from + to) >>> 1;
    const at = middle * width;
    const order =
      readBytes(block, at, highBytes) - wanted || readBytes(block, at + highBytes, 4) - low;
    if (order === 0) return form.firstAtMs + readBytes(block, at + highBytes + 4, timeBytes);
    if (order < 0) from = middle + 1;
    else to = middle;
  }
  return null;
}

export const blockOf = (high: number, blockBits: number): number =>
  blockBits === 0 ? 0 : high >>> (32 - blockBits);

/** Returns the bits of block numbers for which each block has about `keysPerBlock` keys. */
export function blockBitsFor(keyCount: number): number {
  const bits = Math.round(Math.log2(Math.max(1, keyCount / keysPerBlock)));
  return Math.min(bits, blockBitsMax);
}

/** Records leave out whole bytes of the upper half that follow from the number of the block. */
function widthsOf({ blockBits, firstAtMs, lastAtMs }: BlockForm): {
  readonly highBytes: number;
  readonly timeBytes: number;
  readonly width: number;
} {
  const highBytes = 4 - (blockBits >> 3);
  const timeBytes = Math.max(1, Math.ceil(Math.log2(lastAtMs - firstAtMs + 1) / 8));
  return { highBytes, timeBytes, width: highBytes + 4 + timeBytes };
}

const maskOf = (bytes: number): number => 2 ** (8 * bytes) - 1;

/** Writes the lowest bytes of a number, the highest of them first. Returns the offset behind them. */
function writeBytes(into: Uint8Array, at: number, value: number, bytes: number): number {
  let upper = value;
  if (bytes > 4) {
    // Shifts take 32 bits: what is above goes first.
    writeBytes(into, at, Math.floor(value / 2 ** 32), bytes - 4);
    upper = value % 2 ** 32;
  }
  for (let i = Math.max(0, bytes - 4); i < bytes; i++)
    into[at + i] = upper >>> (8 * (bytes - 1 - i));
  return at + bytes;
}
function readBytes(from: Uint8Array, at: number, bytes: number): number {
  let value = 0;
  for (let i = at; i < at + bytes; i++) value = value * 256 + from[i];
  return value;
}
const compareAt = (a: KeyList, i: number, b: KeyList, j: number): number =>
  a.high[i] - b.high[j] || a.low[i] - b.low[j];

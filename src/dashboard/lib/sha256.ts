/*
 * A hash that is fed piece by piece.
 * Decision: SHA-256 is computed here, and not by the browser.
 * Because: the browser's own takes a whole file at once, which may have four gigabytes, and only on pages of https.
 * Cost: 10 to 20 ms of processor time for a megabyte.
 * Revisit: when browsers can hash a stream.
 */

const blockBytes = 64;

/** The first 32 bits of the fractions of roots of the first primes, by which the standard defines its constants. */
function fractions(count: number, root: (prime: number) => number): Uint32Array {
  const found: number[] = [];
  for (let candidate = 2; found.length < count; candidate++) {
    let divisor = 2;
    while (divisor * divisor <= candidate && candidate % divisor !== 0) divisor++;
    if (divisor * divisor > candidate) found.push((root(candidate) % 1) * 2 ** 32);
  }
  return Uint32Array.from(found);
}
const constants = fractions(64, Math.cbrt);

export class Sha256 {
  readonly #state = fractions(8, Math.sqrt);
  readonly #words = new Int32Array(64);
  readonly #rest = new Uint8Array(blockBytes);
  #restBytes = 0;
  #bytes = 0;

  update(bytes: Uint8Array): void {
    this.#bytes += bytes.length;
    let at = 0;
    if (this.#restBytes > 0) {
      at = Math.min(blockBytes - this.#restBytes, bytes.length);
      this.#rest.set(bytes.subarray(0, at), this.#restBytes);
      this.#restBytes += at;
      if (this.#restBytes < blockBytes) return;
      this.#block(this.#rest, 0);
    }
    for (; at + blockBytes <= bytes.length; at += blockBytes) this.#block(bytes, at);
    this.#rest.set(bytes.subarray(at));
    this.#restBytes = bytes.length - at;
  }

  /** Returns the hash as hexadecimal digits. Nothing can be added after that. */
  digest(): string {
    const bits = this.#bytes * 8;
    const open = this.#restBytes + 9;
    const end = new Uint8Array(
      open > blockBytes ? 2 * blockBytes - this.#restBytes : blockBytes - this.#restBytes,
    );
    end[0] = 0x80;
    const view = new DataView(end.buffer);
    view.setUint32(end.length - 8, Math.floor(bits / 2 ** 32));
    view.setUint32(end.length - 4, bits >>> 0);
    this.update(end);
    return [...this.#state].map((word) => word.toString(16).padStart(8, "0")).join("");
  }

  #block(bytes: Uint8Array, from: number): void {
    const words = this.#words;
    const view = new DataView(bytes.buffer, bytes.byteOffset + from, blockBytes);
    for (let i = 0; i < 16; i++) words[i] = view.getInt32(4 * i);
    for (let i = 16; i < 64; i++) {
      const near = words[i - 2] ?? 0;
      const far = words[i - 15] ?? 0;
      const small = turned(far, 7) ^ turned(far, 18) ^ (far >>> 3);
      const large = turned(near, 17) ^ turned(near, 19) ^ (near >>> 10);
      words[i] = ((words[i - 16] ?? 0) + small + (words[i - 7] ?? 0) + large) | 0;
    }
    this.#mix(words);
  }
  #mix(words: Int32Array): void {
    const state = this.#state;
    let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
    for (let i = 0; i < 64; i++) {
      const large = turned(e, 6) ^ turned(e, 11) ^ turned(e, 25);
      const chosen = (e & f) ^ (~e & g);
      const first = (h + large + chosen + (constants[i] ?? 0) + (words[i] ?? 0)) | 0;
      const small = turned(a, 2) ^ turned(a, 13) ^ turned(a, 22);
      const most = (a & b) ^ (a & c) ^ (b & c);
      h = g;
      g = f;
      f = e;
      e = (d + first) | 0;
      d = c;
      c = b;
      b = a;
      a = (first + small + most) | 0;
    }
    [a, b, c, d, e, f, g, h].forEach((word, i) => {
      state[i] = (state[i] ?? 0) + word;
    });
  }
}

const turned = (word: number, bits: number): number => (word >>> bits) | (word << (32 - bits));

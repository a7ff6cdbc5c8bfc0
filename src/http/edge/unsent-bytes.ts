/*
 * Answers that nobody reads are bounded.
 * Decision: answers over 64 KiB are handed to Bun in pieces as their clients take them; what is left, what waits for
 * streams and sockets included, is counted by account, or by network where nobody is logged in. Beyond 32 MiB of one,
 * or 128 MiB of all, the connection that moved longest ago loses what it has and is closed within 4 s.
 * Because: 300 clients that asked for 5 MB and read nothing held 1.5 GB.
 * Cost: such answers have no Content-Length; the kernel and Bun hold up to 128 KiB more for each connection.
 * Revisit: if Bun tells of each connection what it holds.
 */

const unsentBytesMax = 128 * 1024 * 1024;
/** The bytes that wait for one account, or for one network where nobody is logged in. */
const unsentBytesPerHolderMax = 32 * 1024 * 1024;

/** Something that waits for its client to take it. */
export interface Unsent {
  /** The number of bytes that wait now. */
  set(bytes: number): void;
  /** Nothing waits any more. */
  close(): void;
}

interface Waiting {
  readonly holder: string;
  bytes: number;
  drop(): void;
}

/**
 * Bounds the answers that were made for clients and not taken by them yet, for each account, or network where nobody is
 * logged in, and for all together: beyond the bounds the one that has not moved for the longest is dropped, and its
 * connection closed. A holder's last one stays as far as its own bound goes, since an answer may be larger than that by
 * itself.
 */
export class UnsentBytes {
  /** The one that moved longest ago first. */
  readonly #waiting = new Set<Waiting>();
  readonly #ofHolder = new Map<string, number>();
  #all = 0;

  constructor(
    private readonly perHolderMax = unsentBytesPerHolderMax,
    private readonly allMax = unsentBytesMax,
  ) {}

  get bytes(): number {
    return this.#all;
  }

  /** `drop` releases the bytes at once and closes the connection. It is called once at most. */
  open(holder: string, drop: () => void): Unsent {
    const one: Waiting = { holder, bytes: 0, drop };
    this.#waiting.add(one);
    return {
      set: (bytes) => {
        if (!this.#waiting.has(one)) return;
        if (bytes !== one.bytes) this.#change(one, bytes);
      },
      close: () => this.#forget(one),
    };
  }

  #change(one: Waiting, bytes: number): void {
    const isMoving = bytes < one.bytes;
    this.#count(one, bytes);
    if (isMoving) {
      this.#waiting.delete(one);
      this.#waiting.add(one);
      return;
    }
    while ((this.#ofHolder.get(one.holder) ?? 0) > this.perHolderMax) {
      const oldest = this.#oldestOf(one.holder);
      if (oldest === undefined || oldest.bytes === this.#ofHolder.get(one.holder)) break;
      this.#drop(oldest);
    }
    while (this.#all > this.allMax) {
      const oldest = this.#oldestOf(this.#largestHolder());
      if (oldest === undefined) break;
      this.#drop(oldest);
    }
  }

  #count(one: Waiting, bytes: number): void {
    const left = (this.#ofHolder.get(one.holder) ?? 0) + bytes - one.bytes;
    if (left === 0) this.#ofHolder.delete(one.holder);
    else this.#ofHolder.set(one.holder, left);
    this.#all += bytes - one.bytes;
    one.bytes = bytes;
  }

  #oldestOf(holder: string): Waiting | undefined {
    for (const one of this.#waiting) if (one.holder === holder && one.bytes > 0) return one;
    return undefined;
  }

  #largestHolder(): string {
    let largest = "";
    let most = 0;
    for (const [holder, bytes] of this.#ofHolder) {
      if (bytes <= most) continue;
      largest = holder;
      most = bytes;
    }
    return largest;
  }

  #drop(one: Waiting): void {
    this.#forget(one);
    one.drop();
  }
  #forget(one: Waiting): void {
    if (!this.#waiting.delete(one)) return;
    this.#count(one, 0);
  }
}

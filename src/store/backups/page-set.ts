/** Numbers of pages, counted from 1. It takes a bit for each page of the database. */
export class PageSet {
  #words = new Uint32Array(1024);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(page: number): void {
    const [word, bit] = [page >>> 5, 1 << (page & 31)];
    if (word >= this.#words.length) this.#grow(word + 1);
    if ((this.#words[word] & bit) !== 0) return;
    this.#words[word] |= bit;
    this.#size += 1;
  }

  addAll(other: PageSet): void {
    for (const page of other) this.add(page);
  }

  /** Ascending. */
  *[Symbol.iterator](): Iterator<number> {
    for (let word = 0; word < this.#words.length; word++) {
      let bits = this.#words[word];
      while (bits !== 0) {
        const bit = 31 - Math.clz32(bits & -bits);
        yield word * 32 + bit;
        bits &= bits - 1;
      }
    }
  }

  #grow(words: number): void {
    const grown = new Uint32Array(Math.max(words, this.#words.length * 2));
    grown.set(this.#words);
    this.#words = grown;
  }
}

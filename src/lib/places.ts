/** The number of places that are taken, and their holders. */
export class Places {
  readonly #taken = new Map<string, number>();
  taken = 0;

  takenBy(holder: string): number {
    return this.#taken.get(holder) ?? 0;
  }

  /** Returns what gives it back. */
  take(holder: string): () => void {
    this.#taken.set(holder, this.takenBy(holder) + 1);
    this.taken += 1;
    return once(() => {
      const left = this.takenBy(holder) - 1;
      if (left === 0) this.#taken.delete(holder);
      else this.#taken.set(holder, left);
      this.taken -= 1;
    });
  }
}

function once(work: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) work();
    isDone = true;
  };
}

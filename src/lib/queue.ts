/**
 * First in, first out for each key; the keys take turns. What one key has waiting never makes another wait for more
 * than one item of it.
 */
export class FairQueue<Key, Item> {
  /** A key is here as long as it has items; the first one's turn is next. */
  private readonly lines = new Map<Key, Item[]>();
  private count = 0;

  get size(): number {
    return this.count;
  }

  push(key: Key, item: Item): void {
    const line = this.lines.get(key);
    if (line === undefined) this.lines.set(key, [item]);
    else line.push(item);
    this.count++;
  }

  /** Removes and returns the first item, or undefined when nothing waits. */
  take(): Item | undefined {
    for (const [key, line] of this.lines) {
      const item = line.shift();
      // Its next turn comes after all others.
      this.lines.delete(key);
      if (line.length > 0) this.lines.set(key, line);
      this.count--;
      return item;
    }
    return undefined;
  }

  /** Takes out the newest item of the key that has most, if it has more than this key would have with one more. */
  displaceFor(key: Key): Item | undefined {
    let longest: Key = key;
    let most = (this.lines.get(key)?.length ?? 0) + 1;
    for (const [other, line] of this.lines) {
      if (line.length <= most) continue;
      longest = other;
      most = line.length;
    }
    const item = longest === key ? undefined : this.lines.get(longest)?.pop();
    if (item !== undefined) this.count--;
    return item;
  }

  /** Removes an item, and returns false when it is not in the queue. */
  remove(key: Key, item: Item): boolean {
    const line = this.lines.get(key);
    const at = line?.indexOf(item) ?? -1;
    if (line === undefined || at < 0) return false;
    line.splice(at, 1);
    if (line.length === 0) this.lines.delete(key);
    this.count--;
    return true;
  }
}

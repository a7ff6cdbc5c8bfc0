import type { Budget } from "../budget";
import { DistinctPerGroup, type SparePlanes } from "./distinct";

const bitsPerWord = 32;
/** The bytes of all hours' sets; what comes in further hours is counted with less memory, and slower. */
const setBytesMax = 64 * 1024 * 1024;

/**
 * Counts distinct members (users, numbered from 1) per hour. Events are gone through in about the order of time: each
 * hour has a set of its own, a bit for each member, so that the few hours that are looked at for a while are in the
 * processor's caches, where words that all hours share (DistinctPerGroup) are in none.
 */
export class DistinctPerHour {
  /** Undefined for an hour that nobody was added to. */
  private readonly sets: (Uint32Array<ArrayBuffer> | undefined)[] = [];
  private readonly counts: number[] = [];
  private bytes = 0;
  /** The members of hours without a set, and those at or above the limit. */
  private readonly others: DistinctPerGroup;

  /** Members are below the limit, as far as the caller can tell. Sets can be those of a counting before. */
  constructor(
    private readonly budget: Budget,
    private readonly memberLimit: number,
    private readonly spare: SparePlanes,
  ) {
    this.others = new DistinctPerGroup(budget, memberLimit, spare);
  }
  /** Nothing can be asked any more. */
  handBack(): void {
    for (const set of this.sets) {
      if (set !== undefined && set.length > 0) this.spare.keep(set, this.budget);
    }
    this.sets.length = 0;
    this.others.handBack();
  }

  add(hour: number, member: number): void {
    const set = this.sets[hour] ?? this.begin(hour);
    const word = member >>> 5;
    if (word >= set.length) {
      this.others.add(hour, member);
      return;
    }
    const before = set[word];
    const after = (before | (1 << (member & (bitsPerWord - 1)))) >>> 0;
    if (before === after) return;
    set[word] = after;
    this.counts[hour]++;
  }
  count(hour: number): number {
    return (this.counts[hour] ?? 0) + this.others.count(hour);
  }

  private begin(hour: number): Uint32Array<ArrayBuffer> {
    while (this.sets.length <= hour) {
      this.sets.push(undefined);
      this.counts.push(0);
    }
    const length = Math.ceil(this.memberLimit / bitsPerWord);
    const isFull = this.bytes + length * Uint32Array.BYTES_PER_ELEMENT > setBytesMax;
    const set = isFull ? none : this.spare.take(length, this.budget);
    this.bytes += set.byteLength;
    this.sets[hour] = set;
    return set;
  }
}
const none = new Uint32Array(0);

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
  /** No set begins or grows any more, so that a member never changes between its hour's set and `others`. */
  private isFull = false;
  /** The members that no set has room for. */
  private readonly others: DistinctPerGroup;

  /**
   * Members are below the limit, as far as the caller can tell at the time; sets grow for others. They can be those of
   * a counting before.
   */
  constructor(
    private readonly budget: Budget,
    private readonly memberLimit: () => number,
    private readonly spare: SparePlanes,
  ) {
    this.others = new DistinctPerGroup(budget, memberLimit(), spare);
  }
  /** Nothing can be asked any more. */
  handBack(): void {
    for (const set of this.sets) if (set !== undefined) this.keep(set);
    this.sets.length = 0;
    this.others.handBack();
  }

  add(hour: number, member: number): void {
    const word = member >>> 5;
    let set = this.sets[hour];
    if (set === undefined || word >= set.length) set = this.widen(hour, set ?? none, member);
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

  private widen(hour: number, set: Uint32Array<ArrayBuffer>, member: number) {
    while (this.sets.length <= hour) {
      this.sets.push(undefined);
      this.counts.push(0);
    }
    const needed = Math.ceil(Math.max(this.memberLimit(), member + 1) / bitsPerWord);
    const length = Math.max(needed, 2 * set.length);
    const more = (length - set.length) * Uint32Array.BYTES_PER_ELEMENT;
    this.isFull ||= this.bytes + more > setBytesMax;
    const wider = this.isFull ? set : this.spare.take(length, this.budget);
    if (wider !== set) {
      wider.set(set);
      this.keep(set);
      this.bytes += wider.byteLength - set.byteLength;
    }
    this.sets[hour] = wider;
    return wider;
  }
  private keep(set: Uint32Array<ArrayBuffer>): void {
    if (set.length > 0) this.spare.keep(set, this.budget);
  }
}
const none = new Uint32Array(0);

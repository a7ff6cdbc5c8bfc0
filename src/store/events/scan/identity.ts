import type { Database } from "bun:sqlite";
import type { Segment } from "../segment/segment";
import { Bitmap } from "../sets/bitmap";
import { LinkedNumbers } from "./linked-numbers";
import type { Matcher } from "./matcher";

const rememberedNamesMax = 50_000;
const usersPerCheck = 4_096;

type LoggedLink = [version: number, user: number, canonical: number];

/** The users of a segment's visits, as of some version of the links. */
interface KnownUsers {
  /** Links have only gained since it was made with these. */
  since: object;
  version: number;
  readonly users: Uint32Array;
  /** The largest number of them. */
  largest: number;
}

/**
 * The user that each user number stands for after /identify, in one project. It is constant during a read. A number is
 * never given to another name, so that names can be kept.
 */
export class Identity {
  /** Index = user number; the one it was linked to, which may have been linked on; 0 = none. */
  private linkedTo = new Uint32Array(0);
  private lastVersion = 0;
  /** The links the other way around, once somebody has asked for them. */
  private linked: LinkedNumbers | null = null;
  /**
   * This object is replaced as soon as a link was taken back: what was found by following links before is of no use.
   */
  private since: object = {};
  /** This is above all numbers in the segments read so far, and above the numbers that these are linked to. */
  numberLimit = 1;
  private readonly names = new Map<number, string>();

  constructor(
    private readonly db: Database,
    private readonly projectNumber: number,
  ) {}

  /** Ascends with every link, and with every one that is taken back. */
  get version(): number {
    return this.lastVersion;
  }

  /** Applies what the log of aliases has gained, as the read's snapshot sees it; all of it when a link is no more. */
  refresh(): void {
    const gained = this.linksAfter(this.lastVersion);
    const isUndone = gained.some(([, user]) => this.linkedTo[user] > 0);
    if (isUndone) {
      this.linkedTo.fill(0);
      this.linked = null;
      this.since = {};
    }
    this.apply(isUndone ? this.linksAfter(0) : gained);
  }
  private linksAfter(version: number): LoggedLink[] {
    return this.db
      .query(
        "select version, user, canonical from user_alias where project_id = ? and version > ? order by version",
      )
      .values(this.projectNumber, version) as LoggedLink[];
  }
  private apply(links: readonly LoggedLink[]): void {
    for (const [version, user, canonical] of links) {
      if (user >= this.linkedTo.length) {
        const grown = new Uint32Array(2 * (user + 1));
        grown.set(this.linkedTo);
        this.linkedTo = grown;
      }
      this.linkedTo[user] = canonical;
      // A linked number may have no event of its own.
      this.numberLimit = Math.max(this.numberLimit, canonical + 1);
      if (canonical > 0) this.linked?.add(user, canonical);
      this.lastVersion = version;
    }
  }

  canonical(user: number): number {
    const { linkedTo } = this;
    let last = user;
    while (linkedTo[last] > 0) last = linkedTo[last];
    // The next walk from here is short.
    for (let at = user; at !== last; ) {
      const next = linkedTo[at];
      linkedTo[at] = last;
      at = next;
    }
    return last;
  }

  /** The numbers in segments that stand for a user today. */
  numbersOf(user: number): readonly number[] {
    if (this.linkedTo.length === 0) return [user];
    this.linked ??= new LinkedNumbers(this.linkedTo);
    return this.linked.leadingTo(user);
  }

  /**
   * The canonical user of each visit; 0 = none. Kept with the version it was made for and brought up to date in place:
   * no read needs an older state again, and while links only gain, the stored users are not needed either.
   */
  usersOf(segment: Segment): Uint32Array {
    return this.knownUsers(segment).users;
  }
  /** The largest number of a user of these segments; 0 when they have none. */
  largestIn(segments: readonly Segment[], check: () => void = () => undefined): number {
    return segments.reduce((largest, segment) => {
      check();
      return Math.max(largest, this.knownUsers(segment).largest);
    }, 0);
  }
  private knownUsers(segment: Segment): KnownUsers {
    const kept = segment.derive(
      "users",
      ({ users }: KnownUsers) => users.byteLength,
      () => {
        const users = this.storedUsers(segment);
        return { since: this.since, version: 0, users, largest: largestOf(users) };
      },
    );
    if (kept.since !== this.since) {
      kept.since = this.since;
      kept.version = 0;
      kept.users.set(this.storedUsers(segment));
    }
    if (kept.version !== this.lastVersion) {
      kept.version = this.lastVersion;
      this.bringUpToDate(kept.users);
      kept.largest = largestOf(kept.users);
    }
    return kept;
  }
  private storedUsers(segment: Segment): Uint32Array {
    const users = new Uint32Array(segment.users);
    this.numberLimit = Math.max(this.numberLimit, largestOf(users) + 1);
    return users;
  }
  private bringUpToDate(users: Uint32Array): void {
    const { linkedTo } = this;
    for (let v = 0; v < users.length; v++) {
      if (linkedTo[users[v]] > 0) users[v] = this.canonical(users[v]);
    }
  }

  nameOf(user: number): string | null {
    if (user === 0) return null;
    const known = this.names.get(user);
    if (known !== undefined) return known;
    const found = this.db
      .query("select name from user where project_id = ? and number = ?")
      .get(this.projectNumber, user) as { name: string } | null;
    // Erased: its events go in a moment.
    if (found === null) return null;
    if (this.names.size >= rememberedNamesMax) this.names.clear();
    this.names.set(user, found.name);
    return found.name;
  }

  /** The number whose events carry this name today: none for a name that has been linked to another. */
  numberOf(name: string): number | null {
    const number = this.storedNumberOf(name);
    return number !== null && this.canonical(number) === number ? number : null;
  }

  /** The number of the user that this name stands for, itself or the one it was linked to. */
  numberBehind(name: string): number | null {
    const number = this.storedNumberOf(name);
    return number === null ? null : this.canonical(number);
  }

  /** Numbers of all users whose name passes: there may be millions of them, so that they are taken row by row. */
  numbersWhere(passes: Matcher, check: () => void): Bitmap {
    const numbers = new Bitmap();
    const users = this.db.query("select number, name from user where project_id = ?");
    let seen = 0;
    for (const row of users.iterate(this.projectNumber)) {
      if (seen++ % usersPerCheck === 0) check();
      const { number, name } = row as { readonly number: number; readonly name: string };
      if (this.canonical(number) === number && passes(name)) numbers.add(number);
    }
    return numbers;
  }

  /**
   * Returns the first of these users in the order of their names. It walks the index of names, which pays for very many
   * of them.
   */
  firstByName(isWanted: (user: number) => boolean, limit: number, check: () => void): number[] {
    const found: number[] = [];
    if (limit <= 0) return found;
    const users = this.db.query("select number from user where project_id = ? order by name");
    let seen = 0;
    for (const row of users.iterate(this.projectNumber)) {
      if (seen++ % usersPerCheck === 0) check();
      const { number } = row as { readonly number: number };
      if (isWanted(number) && found.push(number) === limit) break;
    }
    return found;
  }

  private storedNumberOf(name: string): number | null {
    const found = this.db
      .query("select number from user where project_id = ? and name = ?")
      .get(this.projectNumber, name) as { number: number } | null;
    return found === null ? null : found.number;
  }
}

function largestOf(numbers: Uint32Array): number {
  let largest = 0;
  for (let i = 0; i < numbers.length; i++) if (numbers[i] > largest) largest = numbers[i];
  return largest;
}

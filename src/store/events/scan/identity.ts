import type { Database } from "bun:sqlite";
import type { Segment } from "../segment/segment";
import { Bitmap } from "../sets/bitmap";
import { LinkedNumbers } from "./linked-numbers";
import type { Matcher } from "./matcher";

const cachedNamesMax = 50_000;
const usersPerCheck = 4_096;

type LoggedLink = [version: number, user: number, canonical: number];

/** The users of a segment's visits, for one version of the links. */
interface VisitUsers {
  /** The `generation` of Identity: while it is the same, links were only added. */
  generation: object;
  version: number;
  readonly users: Uint32Array;
  largest: number;
}

/**
 * Resolves the links of users that /identify made in one project: each user number stands for a user. Links do not
 * change during a read. A number never gets another name, so names can be cached.
 */
export class Identity {
  /** By user number: the number that it is linked to, which may have a link of its own; 0 = none. */
  private linkedTo = new Uint32Array(0);
  private lastVersion = 0;
  /** The links in the other direction, from their first use on. */
  private linked: LinkedNumbers | null = null;
  /** A new object replaces this one when a link was removed: results of the links before are then invalid. */
  private generation: object = {};
  /** All numbers in the segments read so far, and the numbers that these are linked to, are below this. */
  numberLimit = 1;
  private readonly names = new Map<number, string>();

  constructor(
    private readonly db: Database,
    private readonly projectNumber: number,
  ) {}

  /** Grows with every link that was added or removed. */
  get version(): number {
    return this.lastVersion;
  }

  /** Applies the new links that the read's snapshot sees; if a link was changed or removed, it applies all again. */
  refresh(): void {
    const newLinks = this.linksAfter(this.lastVersion);
    const isUndone = newLinks.some(([, user]) => this.linkedTo[user] > 0);
    if (isUndone) {
      this.linkedTo.fill(0);
      this.linked = null;
      this.generation = {};
    }
    this.apply(isUndone ? this.linksAfter(0) : newLinks);
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
    // Path compression makes the next walk short.
    for (let at = user; at !== last; ) {
      const next = linkedTo[at];
      linkedTo[at] = last;
      at = next;
    }
    return last;
  }

  /** Returns the numbers in segments that stand for a user. */
  numbersOf(user: number): readonly number[] {
    if (this.linkedTo.length === 0) return [user];
    this.linked ??= new LinkedNumbers(this.linkedTo);
    return this.linked.leadingTo(user);
  }

  /**
   * Returns the canonical user of each visit; 0 = none. The cache keeps this array, and each version of the links
   * updates it in place, as no read needs an older version again. While links are only added, an update does not need
   * the stored users.
   */
  usersOf(segment: Segment): Uint32Array {
    return this.visitUsers(segment).users;
  }
  /** Returns the largest number of a user in some segments; 0 if they have no users. */
  largestIn(segments: readonly Segment[], check: () => void = () => undefined): number {
    return segments.reduce((largest, segment) => {
      check();
      return Math.max(largest, this.visitUsers(segment).largest);
    }, 0);
  }
  private visitUsers(segment: Segment): VisitUsers {
    const cached = segment.derive(
      "users",
      ({ users }: VisitUsers) => users.byteLength,
      () => {
        const users = this.storedUsers(segment);
        return { generation: this.generation, version: 0, users, largest: largestOf(users) };
      },
    );
    if (cached.generation !== this.generation) {
      cached.generation = this.generation;
      cached.version = 0;
      cached.users.set(this.storedUsers(segment));
    }
    if (cached.version !== this.lastVersion) {
      cached.version = this.lastVersion;
      this.followLinks(cached.users);
      cached.largest = largestOf(cached.users);
    }
    return cached;
  }
  private storedUsers(segment: Segment): Uint32Array {
    const users = new Uint32Array(segment.users);
    this.numberLimit = Math.max(this.numberLimit, largestOf(users) + 1);
    return users;
  }
  private followLinks(users: Uint32Array): void {
    const { linkedTo } = this;
    for (let v = 0; v < users.length; v++) {
      if (linkedTo[users[v]] > 0) users[v] = this.canonical(users[v]);
    }
  }

  nameOf(user: number): string | null {
    if (user === 0) return null;
    const cached = this.names.get(user);
    if (cached !== undefined) return cached;
    const row = this.db
      .query("select name from user where project_id = ? and number = ?")
      .get(this.projectNumber, user) as { name: string } | null;
    // The user was erased, and the events will be soon.
    if (row === null) return null;
    if (this.names.size >= cachedNamesMax) this.names.clear();
    this.names.set(user, row.name);
    return row.name;
  }

  /** Returns the number of the user with this name; null for a name that is linked to another user. */
  numberOf(name: string): number | null {
    const number = this.storedNumberOf(name);
    return number !== null && this.canonical(number) === number ? number : null;
  }

  /** Returns the number of the user that this name stands for: its own, or that of the user it is linked to. */
  numberBehind(name: string): number | null {
    const number = this.storedNumberOf(name);
    return number === null ? null : this.canonical(number);
  }

  /** Returns the numbers of all users whose name passes. It reads row by row, as there may be millions. */
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
   * Returns the first of the wanted users in order of their names. It walks the whole index of names, which is worth it
   * only if very many users are wanted.
   */
  firstByName(isWanted: (user: number) => boolean, limit: number, check: () => void): number[] {
    const first: number[] = [];
    if (limit <= 0) return first;
    const users = this.db.query("select number from user where project_id = ? order by name");
    let seen = 0;
    for (const row of users.iterate(this.projectNumber)) {
      if (seen++ % usersPerCheck === 0) check();
      const { number } = row as { readonly number: number };
      if (isWanted(number) && first.push(number) === limit) break;
    }
    return first;
  }

  private storedNumberOf(name: string): number | null {
    const row = this.db
      .query("select number from user where project_id = ? and name = ?")
      .get(this.projectNumber, name) as { number: number } | null;
    return row === null ? null : row.number;
  }
}

function largestOf(numbers: Uint32Array): number {
  let largest = 0;
  for (let i = 0; i < numbers.length; i++) if (numbers[i] > largest) largest = numbers[i];
  return largest;
}

import { type TimeZone, timeZoneOf } from "../../../domain/time-zone";
import { bitOf, digestOf } from "../../../domain/trust/flagged";
import type { FlaggedValue, FoundFlagged } from "../../../domain/trust/found";
import { type TrustCategory, trustCategories } from "../../../domain/trust/rules";
import { codePointCount } from "../../../lib/text";
import type { DayCount, View } from "../../questions";
import { stringsIn } from "../../shared/json-text";
import type { Context } from "../filter/context";
import type { Identity } from "../scan/identity";
import type { Segment } from "../segment/segment";

/** The facts about a flagged text; `events` and the times are counted. */
export type Flagged = Omit<FlaggedValue, "events" | "first_seen" | "last_seen">;

interface Counted {
  readonly known: Flagged;
  events: number;
  firstMs: number;
  lastMs: number;
}

/** The flagged texts of a dictionary, by code; a list or an object may have several. */
type ByCode = ReadonlyMap<number, readonly string[]>;

const bytesPerCode = 200;
const nameColumn = "event.name";
const propertyPrefix = "property.";

/** Counts the events with flagged texts: over the columns that had such a text, and no others. */
export class FlaggedCounts {
  private readonly columns = new Map<string, Map<string, Counted>>();
  private readonly keys = new Map<string, Counted>();
  private readonly sessions = new Map<string, Counted>();
  private readonly users: readonly Counted[];
  private readonly all: readonly Counted[];
  private readonly eventsOf = new Map<TrustCategory, number>();
  private readonly eventsOn = new Map<number, number>();
  private events = 0;

  /** `changes` identifies a state of the flagged texts. */
  constructor(
    private readonly context: Context,
    known: readonly Flagged[],
    private readonly cleared: ReadonlySet<string>,
    private readonly changes: number,
  ) {
    this.all = known.map((one) => ({
      ...{ known: one, events: 0 },
      ...{ firstMs: Number.POSITIVE_INFINITY, lastMs: Number.NEGATIVE_INFINITY },
    }));
    for (const one of this.all) this.wantedOf(one.known)?.set(one.known.digest, one);
    this.users = this.all.filter(({ known: { field } }) => field === "user_id");
  }

  add(segment: Segment, view: View): void {
    const { eventCount } = segment;
    this.context.budget.take(eventCount);
    const marks = new Uint8Array(eventCount);
    const note = new RowNote(segment, view, marks, this.cleared);
    for (const [column, wanted] of this.columns) this.addColumn(segment, column, wanted, note);
    if (this.keys.size > 0) this.addKeys(segment, note);
    if (this.sessions.size > 0) this.addSessions(segment, note);
    if (this.users.length > 0) this.addUsers(segment, note);
    this.addMarks(segment, view, marks);
    this.context.budget.giveBack(eventCount);
  }

  values(): FlaggedValue[] {
    return this.all
      .filter(({ events }) => events > 0)
      .map(({ known, events, firstMs, lastMs }) => ({
        ...known,
        ...{ events, first_seen: firstMs, last_seen: lastMs },
      }));
  }
  sums(): FoundFlagged["sums"] {
    return { values: this.counted().length, events: this.events };
  }
  byCategory(): FoundFlagged["by_category"] {
    const counted = this.counted();
    return trustCategories.flatMap((category) => {
      const values = counted.filter(
        ({ known: { categories } }) => (categories & bitOf(category)) !== 0,
      ).length;
      return values === 0 ? [] : [{ category, values, events: this.eventsOf.get(category) ?? 0 }];
    });
  }
  days(): DayCount[] {
    return [...this.eventsOn]
      .map(([day, events]) => ({ day, events }))
      .toSorted((a, b) => a.day - b.day);
  }

  private counted(): readonly Counted[] {
    return this.all.filter(({ known, events }) => events > 0 && !this.cleared.has(known.digest));
  }
  private wantedOf({ field, key }: Flagged): Map<string, Counted> | null {
    if (field === "property_key") return this.keys;
    if (field === "session_id") return this.sessions;
    if (field === "user_id" || field === "traits") return null;
    const column = field === "event" ? nameColumn : `${propertyPrefix}${key}`;
    const wanted = this.columns.get(column) ?? new Map<string, Counted>();
    this.columns.set(column, wanted);
    return wanted;
  }

  private addColumn(
    segment: Segment,
    column: string,
    wanted: ReadonlyMap<string, Counted>,
    note: RowNote,
  ): void {
    const codes = segment.codes(column);
    if (codes === null) return;
    const byCode = segment.derive(
      `flagged in ${column} at ${this.changes}`,
      (found: ByCode) => found.size * bytesPerCode,
      () => this.flaggedIn(segment, column, wanted),
    );
    if (byCode.size === 0) return;
    const isFlagged = new Uint8Array(1 + segment.dictionary(column).length);
    for (const code of byCode.keys()) isFlagged[code] = 1;
    for (let row = 0; row < codes.length; row++) {
      if (isFlagged[codes[row]] === 0) continue;
      for (const digest of byCode.get(codes[row]) ?? []) note.add(row, wanted.get(digest)!);
    }
  }
  private flaggedIn(
    segment: Segment,
    column: string,
    wanted: ReadonlyMap<string, Counted>,
  ): ByCode {
    const lengths = lengthsOf(wanted);
    const found = new Map<number, readonly string[]>();
    segment.dictionary(column).forEach((value, index) => {
      if (index % valuesPerCheck === 0) this.context.check();
      const digests = textsOf(value)
        .filter((text) => lengths.has(codePointCount(text)))
        .map(digestOf)
        .filter((digest) => wanted.has(digest));
      if (digests.length > 0) found.set(index + 1, [...new Set(digests)]);
    });
    return found;
  }

  private addKeys(segment: Segment, note: RowNote): void {
    const lengths = lengthsOf(this.keys);
    for (const column of segment.columnNames()) {
      if (!column.startsWith(propertyPrefix)) continue;
      const key = column.slice(propertyPrefix.length);
      const wanted = lengths.has(codePointCount(key)) ? this.keys.get(digestOf(key)) : undefined;
      const codes = wanted === undefined ? null : segment.codes(column);
      if (wanted === undefined || codes === null) continue;
      for (let row = 0; row < codes.length; row++) if (codes[row] !== 0) note.add(row, wanted);
    }
  }

  private addSessions(segment: Segment, note: RowNote): void {
    const lengths = lengthsOf(this.sessions);
    for (let visit = 0; visit < segment.visitCount; visit++) {
      if (visit % valuesPerCheck === 0) this.context.check();
      const id = segment.sessionIdAt(visit);
      if (id === null || !lengths.has(codePointCount(id))) continue;
      const wanted = this.sessions.get(digestOf(id));
      if (wanted !== undefined) note.addVisit(visit, wanted);
    }
  }

  /** Adds the users that ids stand for today, as every read shows them. */
  private addUsers(segment: Segment, note: RowNote): void {
    const identity = this.context.identity(segment.projectId);
    const wanted = this.numbersOf(identity);
    const users = identity.usersOf(segment);
    for (let visit = 0; visit < users.length; visit++) {
      const user = wanted.get(users[visit]);
      if (user !== undefined) note.addVisit(visit, user);
    }
  }
  private numbersOf(identity: Identity): ReadonlyMap<number, Counted> {
    const found = new Map<number, Counted>();
    for (const one of this.users) {
      const number = one.known.text === null ? null : identity.numberOf(one.known.text);
      if (number !== null) found.set(number, one);
    }
    return found;
  }

  /** Each event once, whatever is flagged of it. */
  private addMarks(segment: Segment, { zone: zoneName }: View, marks: Uint8Array): void {
    const zone: TimeZone = timeZoneOf(zoneName);
    // They are read for the first marked row: most segments have none.
    let times: Uint32Array | null = null;
    for (let row = 0; row < marks.length; row++) {
      const bits = marks[row];
      if (bits === 0) continue;
      this.events++;
      times ??= segment.times;
      const day = zone.dayAt(segment.firstTime + times[row]);
      this.eventsOn.set(day, (this.eventsOn.get(day) ?? 0) + 1);
      for (const category of trustCategories) {
        if ((bits & bitOf(category)) === 0) continue;
        this.eventsOf.set(category, (this.eventsOf.get(category) ?? 0) + 1);
      }
    }
  }
}

/** Notes of a segment's rows within a window that they have a flagged text. */
class RowNote {
  private times: Uint32Array | null = null;

  constructor(
    private readonly segment: Segment,
    private readonly window: Pick<View, "fromMs" | "toMs">,
    private readonly marks: Uint8Array,
    private readonly cleared: ReadonlySet<string>,
  ) {}

  add(row: number, counted: Counted): void {
    this.times ??= this.segment.times;
    const timeMs = this.segment.firstTime + this.times[row];
    if (timeMs < this.window.fromMs || timeMs >= this.window.toMs) return;
    counted.events++;
    counted.firstMs = Math.min(counted.firstMs, timeMs);
    counted.lastMs = Math.max(counted.lastMs, timeMs);
    const { digest, categories } = counted.known;
    if (!this.cleared.has(digest)) this.marks[row] |= categories;
  }
  addVisit(visit: number, counted: Counted): void {
    const { firstRows } = this.segment;
    for (let row = firstRows[visit]; row < firstRows[visit + 1]; row++) this.add(row, counted);
  }
}

const valuesPerCheck = 16_384;

const lengthsOf = (wanted: ReadonlyMap<string, Counted>): ReadonlySet<number> =>
  new Set(Array.from(wanted.values(), ({ known }) => known.length));

/** A text, or all texts within a list or an object, its keys included. */
function textsOf(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Array.from(stringsIn(JSON.stringify(value)), (json): string => JSON.parse(json));
}

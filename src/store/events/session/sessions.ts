import type { TimeWindow } from "../../../domain/time-window";
import type { Identity } from "../scan/identity";
import { kernel } from "../scan/kernel";
import type { Workspace } from "../sets/workspace";
import { EdgeValues } from "./edge-values";
import type { SessionValues } from "./field-values";
import { FirstSessions } from "./first-sessions";
import { type FactsSource, SessionFacts, segmentOfHome, visitOfHome } from "./session-facts";
import { type LinkedSessions, placesOf, SessionLinks } from "./session-links";
import { bytesOf, type ExtendedNumbers, type SessionNumbers } from "./session-numbers";
import { entryPage, exitPage, TableValues, type ValuesSource } from "./session-values";

/** The differences between a table and the one that it extends by further segments. */
interface Extension extends Omit<ExtendedNumbers, "numbers"> {
  readonly base: Sessions;
}

/**
 * The sessions of some segments with facts about each, which follow from all its events (definitions.md). While events
 * arrive, another table extends it: it has the same numbers and more, and computes links, facts and fields only for new
 * and changed sessions. It keeps segment ids, not segments, so that it does not hold on to columns.
 */
export class Sessions implements LinkedSessions {
  readonly count: number;
  readonly of: ReadonlyMap<number, Uint32Array>;
  readonly areAllInSessions: boolean;
  private numbersBytes: number;
  private knownLinks: SessionLinks | null = null;
  private knownFirsts: FirstSessions | null = null;
  /** The window of the latest call: reads of a period use it again and again. */
  private knownStarts: (TimeWindow & { readonly marks: Uint8Array<ArrayBuffer> }) | null = null;
  /** By segment, the places of the visits of linked sessions that are new or have changed. */
  private linkedVisits: (readonly [segment: number, places: Uint32Array])[] | null = null;
  /** Facts about all sessions, by their numbers … */
  private readonly facts: SessionFacts;
  /** … and about linked sessions, by their places. */
  readonly linked: SessionFacts;
  readonly values: TableValues;

  constructor(
    { count, of, bytes, areAllInSessions = false }: SessionNumbers,
    private readonly workspace: Workspace,
    private extension: Extension | null = null,
  ) {
    this.count = count;
    this.of = of;
    this.areAllInSessions = areAllInSessions;
    this.numbersBytes = bytes;
    this.facts = new SessionFacts(() => this.factsSource, workspace);
    this.linked = new SessionFacts(() => this.linkedSource, workspace);
    this.values = new TableValues(() => this.valuesSource, workspace);
  }

  /** Makes the table independent: it computes everything that the extended table has, and then releases that table. */
  settle(): void {
    const base = this.extension?.base;
    this.facts.settle();
    this.linked.settle();
    if (base?.knownLinks) this.knownLinks = this.links;
    this.values.settle();
    this.extension = null;
    this.linkedVisits = null;
    this.numbersBytes = bytesOf(this.of);
  }

  /** Restores the values from before the extension: the table that extends this one shares its memory. */
  takeBack(): void {
    this.facts.takeBack();
    this.linked.takeBack();
    this.knownLinks?.takeBack();
    this.values.takeBack();
  }

  /** The bytes, without the columns of the table that this one extends, which count there. */
  get bytes(): number {
    const { knownStarts, knownFirsts, knownLinks } = this;
    let bytes = this.numbersBytes + this.values.bytes;
    for (const [, { byteLength }] of this.linkedVisits ?? []) bytes += byteLength;
    bytes += (knownStarts?.marks.byteLength ?? 0) + (knownFirsts?.bytes ?? 0);
    if (this.extension !== null) return bytes;
    return bytes + (knownLinks?.bytes ?? 0) + this.facts.bytes + this.linked.bytes;
  }
  /** The segments with an event of these sessions. */
  get segmentIds(): readonly number[] {
    return [...this.of.keys()];
  }
  /** One number per visit of a segment. */
  numbersIn(segmentId: number): Uint32Array {
    return this.of.get(segmentId) ?? none;
  }
  get links(): SessionLinks {
    this.knownLinks ??= this.findLinks();
    return this.knownLinks;
  }
  private findLinks(): SessionLinks {
    const { count, of, extension } = this;
    const { budget } = this.workspace;
    if (extension === null) return SessionLinks.of(count, of, budget);
    const { base, changed, visits } = extension;
    return base.links.extended(count, base.count, changed, visits, budget);
  }

  get start(): Float64Array {
    return this.facts.start;
  }
  get end(): Float64Array {
    return this.facts.end;
  }
  get events(): Uint32Array {
    return this.facts.events;
  }
  /** 1 for a session with an event that counts as interaction: it is no bounce. */
  get interactive(): Uint8Array {
    return this.facts.interactive;
  }
  isBounce(session: number): 0 | 1 {
    return this.facts.interactive[session] === 0 ? 1 : 0;
  }
  duration(session: number): number {
    return this.end[session] - this.start[session];
  }
  /** Returns the user to whom a session belongs by the current links; 0 = none. */
  userOf(session: number, identity: Identity): number {
    return identity.canonical(this.facts.user[session]);
  }
  idOf(session: number): string {
    const home = this.facts.home[session];
    return this.workspace.open(segmentOfHome(home)).sessionIdAt(visitOfHome(home)) ?? "";
  }
  /** The earliest session of each user among these, which must be all that are stored. */
  firstOfUsers(identity: Identity): FirstSessions {
    if (this.knownFirsts?.version !== identity.version) {
      this.knownFirsts = new FirstSessions(this, identity, this.workspace);
    }
    return this.knownFirsts;
  }
  /** Returns a 1 for each session that started within the window. Callers must not change the marks. */
  startingWithin(fromMs: number, toMs: number): Uint8Array<ArrayBuffer> {
    const known = this.knownStarts;
    if (known !== null && known.fromMs === fromMs && known.toMs === toMs) return known.marks;
    const marks = this.workspace.budget.bytesOf(this.count + 1);
    markWithin(this.start, fromMs, toMs, marks);
    this.knownStarts = { fromMs, toMs, marks };
    return marks;
  }
  /** Returns the entry and exit page of each of a few sessions. It reads only their segments. */
  pagesOf(few: readonly number[]): readonly EntryAndExit[] {
    const { budget } = this.workspace;
    const places = budget.words(this.count + 1);
    few.forEach((n, index) => {
      places[n] = index + 1;
    });
    const links = {
      count: few.length,
      places: Uint32Array.from({ length: few.length + 1 }, (_, at) => at),
    };
    const source = { count: few.length, visits: [...visitsWith(this.of, places)], links };
    const entries = new EdgeValues(source, this.workspace, entryPage);
    const exits = new EdgeValues({ ...source, texts: entries.texts }, this.workspace, exitPage);
    budget.giveBack(places.byteLength);
    return few.map((_, index) => ({
      entry: textOrNull(entries, index + 1),
      exit: textOrNull(exits, index + 1),
    }));
  }

  /** By segment, the numbers of the visits of new and changed sessions; of all sessions if it extends no table. */
  get visits(): ReadonlyMap<number, Uint32Array> {
    return this.extension?.visits ?? this.of;
  }
  private get changed(): Uint32Array {
    return this.extension?.changed ?? none;
  }
  private get valuesSource(): ValuesSource {
    const { count, visits, links, changed, of } = this;
    return { count, visits, links, changed, of, base: this.extension?.base.values ?? null };
  }
  private get factsSource(): FactsSource {
    const { count, visits, changed } = this;
    return { count, base: this.extension?.base.facts ?? null, changed, visits };
  }
  private get linkedSource(): FactsSource {
    const { links, changed } = this;
    this.linkedVisits ??= [...visitsWith(this.visits, links.places)];
    const base = this.extension?.base ?? null;
    return {
      count: links.count,
      base: base?.linked ?? null,
      changed: base === null ? none : placesWithin(base.links, changed),
      visits: this.linkedVisits,
    };
  }
}

const none = new Uint32Array(0);

interface EntryAndExit {
  readonly entry: string | null;
  readonly exit: string | null;
}
const textOrNull = (values: SessionValues, session: number): string | null => {
  const number = values.numberOf(session);
  return number === 0 ? null : values.text(number);
};

/** Returns the places of visits in the segments that have visits of sessions with a place. */
function* visitsWith(
  visits: ReadonlyMap<number, Uint32Array>,
  places: Uint32Array,
): Generator<[segment: number, places: Uint32Array]> {
  for (const [id, numbers] of visits) {
    if (firstPlace(numbers, places) !== 0) yield [id, placesOf(numbers, places)];
  }
}
/** Returns the place of the first visit that has one; 0 if none has. */
const firstPlace = kernel((numbers: Uint32Array, places: Uint32Array): number => {
  let v = 0;
  while (v < numbers.length && places[numbers[v]] === 0) v++;
  return v === numbers.length ? 0 : places[numbers[v]];
});

/** Copies the places of linked sessions: the links that extend these overwrite the same memory. */
const placesWithin = (links: SessionLinks, sessions: Uint32Array): Uint32Array =>
  links.placesOf(sessions).filter((place) => place > 0 && place <= links.count);

const markWithin = kernel(
  (start: Float64Array, fromMs: number, toMs: number, marks: Uint8Array): void => {
    for (let n = 1; n < marks.length; n++) marks[n] = start[n] >= fromMs && start[n] < toMs ? 1 : 0;
  },
);

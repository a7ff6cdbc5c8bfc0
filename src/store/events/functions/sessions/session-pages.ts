import type { Segment } from "../../segment/segment";
import { stringText } from "../../segment/texts";
import { valuesPerCheck } from "../budget";
import { ExtremeEvent } from "../sets/extreme-event";
import { TextTable } from "../sets/text-table";
import type { Workspace } from "../workspace";
import type { JudgedSessions } from "./judged-sessions";

/** Names that are not used any more are kept, up to the number that there was at first plus this number. */
const spareNames = 4_096;

/** Stands for the place of a session of which nothing else can say what its pages are. */
const ofOneVisit = 2 ** 32 - 1;

/** Entry and exit page of each session. Index = session number; values are numbers of pages, −1 for none. */
export class SessionPages {
  entry: Int32Array;
  exit: Int32Array;
  private readonly pages: PageNames;
  private readonly namesMax: number;

  constructor(
    private readonly sessions: JudgedSessions,
    private readonly workspace: Workspace,
    /** When only these are looked at. */
    only: readonly number[] | null = null,
  ) {
    this.pages = new PageNames(workspace);
    const size = sessions.count + 1;
    workspace.budget.take(2 * Int32Array.BYTES_PER_ELEMENT * size);
    this.entry = new Int32Array(size).fill(-1);
    this.exit = new Int32Array(size).fill(-1);
    const places = this.workspace.budget.words(size);
    if (only === null) {
      const several = sessions.severalVisits;
      for (let n = 1; n < size; n++) places[n] = several.places[n] || ofOneVisit;
      this.look(places, several.count + 1);
    } else {
      only.forEach((n, index) => {
        places[n] = index + 1;
      });
      this.look(places, only.length + 1);
    }
    this.namesMax = 2 * this.count + spareNames;
  }

  /** Enough has come since that it should be made again. */
  get isOvergrown(): boolean {
    return this.count > this.namesMax;
  }
  /** Pages that were seen; they are numbered from 0. */
  get count(): number {
    return this.pages.table.size;
  }
  name(page: number): string {
    return this.pages.table.text(page);
  }
  byteAt(page: number, place: number): number {
    return this.pages.table.byteAt(page, place);
  }
  get bytes(): number {
    return this.entry.byteLength + this.exit.byteLength + this.pages.table.byteLength;
  }

  /** Looks again at sessions that are not what they were. */
  update(sessions: ReadonlySet<number>): void {
    const size = this.sessions.count + 1;
    if (size > this.entry.length) {
      this.entry = widened(this.entry, size);
      this.exit = widened(this.exit, size);
    }
    const places = this.workspace.budget.words(size);
    let place = 0;
    for (const n of sessions) {
      places[n] = ++place;
      this.entry[n] = -1;
      this.exit[n] = -1;
    }
    this.look(places, place + 1);
  }

  /**
   * `places` says where the outermost pages of a session are noted; sessions at 0 are left alone. Nobody uses it
   * afterwards: of millions of sessions, what is needed to find their pages takes more than these.
   */
  private look(places: Uint32Array, size: number): void {
    const earliest = new ExtremeEvent(size, "earliest", this.workspace.budget);
    const latest = new ExtremeEvent(size, "latest", this.workspace.budget);
    for (const id of this.sessions.segmentIds) {
      this.workspace.check();
      const numbers = this.sessions.numbersIn(id);
      if (isAnyIn(places, numbers)) this.lookIn(id, numbers, places, earliest, latest);
    }
    earliest.letGo();
    latest.letGo();
    this.workspace.budget.giveBack(places.byteLength);
  }

  private lookIn(
    id: number,
    numbers: Uint32Array,
    places: Uint32Array,
    earliest: ExtremeEvent,
    latest: ExtremeEvent,
  ): void {
    const segment = this.workspace.open(id);
    const pageAt = this.pages.pagesIn(segment);
    const { firstTime, firstRows } = segment;
    const starts = segment.integers("visit.start");
    const durations = segment.integers("visit.duration");
    for (let v = 0; v < numbers.length; v++) {
      if (v % valuesPerCheck === 0) this.workspace.check();
      const place = places[numbers[v]];
      if (place === 0) continue;
      const from = firstRows[v];
      const to = firstRows[v + 1] - 1;
      let first = from;
      let last = to;
      while (first <= last && pageAt(first) < 0) first++;
      if (!(first <= last)) continue;
      while (pageAt(last) < 0) last--;
      const n = numbers[v];
      if (place === ofOneVisit) {
        this.entry[n] = pageAt(first);
        this.exit[n] = pageAt(last);
        continue;
      }
      // Nearly every event has a page; the times of single ones are then never read.
      const firstMs = firstTime + (first === from ? starts[v] : segment.times[first]);
      const lastMs = firstTime + (last === to ? starts[v] + durations[v] : segment.times[last]);
      if (earliest.moves(place, firstMs, segment, first)) this.entry[n] = pageAt(first);
      if (latest.moves(place, lastMs, segment, last)) this.exit[n] = pageAt(last);
    }
  }
}

function isAnyIn(places: Uint32Array, numbers: Uint32Array): boolean {
  for (let v = 0; v < numbers.length; v++) if (places[numbers[v]] > 0) return true;
  return false;
}

function widened(values: Int32Array, size: number): Int32Array {
  const wider = new Int32Array(size + (size >> 4)).fill(-1);
  wider.set(values);
  return wider;
}

/** Page of an event: properties.path, else properties.url, when a non-empty string. Numbered across segments. */
class PageNames {
  readonly table: TextTable;

  constructor(private readonly workspace: Workspace) {
    this.table = new TextTable(workspace.secret, workspace.budget);
  }

  pagesIn(segment: Segment): (row: number) => number {
    const pathCodes = segment.codes("property.path");
    const paths = this.translate(segment, "property.path");
    let pageOfUrl: ((row: number) => number) | null = null; // most events have a path; then urls are never read
    return (row) => {
      const page = pathCodes === null ? -1 : paths[pathCodes[row]];
      if (page >= 0) return page;
      pageOfUrl ??= this.urlsIn(segment);
      return pageOfUrl(row);
    };
  }
  private urlsIn(segment: Segment): (row: number) => number {
    const codes = segment.codes("property.url");
    if (codes === null) return () => -1;
    const urls = this.translate(segment, "property.url");
    return (row) => urls[codes[row]];
  }
  /** Page number per code of the column. */
  private translate(segment: Segment, column: string): Int32Array {
    const { bytes, starts, kinds, length } = segment.texts(column);
    const pages = new Int32Array(length + 1).fill(-1);
    for (let index = 0; index < length; index++) {
      if (index % valuesPerCheck === 0) this.workspace.check();
      if (kinds[index] !== stringText || starts[index] === starts[index + 1]) continue;
      pages[index + 1] = this.table.numberOf(bytes, starts[index], starts[index + 1]);
    }
    // Of one segment, and garbage when the next is looked through.
    this.workspace.budget.letGo(pages.byteLength);
    return pages;
  }
}

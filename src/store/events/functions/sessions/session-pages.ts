import type { Integers } from "../../segment/codec";
import type { Segment } from "../../segment/segment";
import { stringText } from "../../segment/texts";
import { valuesPerCheck } from "../budget";
import { ExtremeEvent } from "../sets/extreme-event";
import { TextTable } from "../sets/text-table";
import type { Workspace } from "../workspace";
import type { JudgedSessions } from "./judged-sessions";

/** Names that are not used any more are kept, up to the number that there was at first plus this number. */
const spareNames = 4_096;

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
    if (only === null) {
      const { places, count } = sessions.severalVisits;
      this.look(places, count + 1, true);
    } else {
      const places = this.workspace.budget.words(size);
      only.forEach((n, index) => {
        places[n] = index + 1;
      });
      this.look(places, only.length + 1, false);
      this.workspace.budget.giveBack(places.byteLength);
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
  /** The number of a page's text, which lies in bytes as in a segment's `texts`. */
  numberOf(bytes: Uint8Array, from: number, to: number): number {
    return this.pages.table.numberOf(bytes, from, to);
  }
  get bytes(): number {
    return this.entry.byteLength + this.exit.byteLength + this.pages.table.byteLength;
  }

  /** Looks again at sessions that are not what they were; some may be named several times. */
  update(sessions: readonly number[]): void {
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
    this.look(places, place + 1, false);
    this.workspace.budget.giveBack(places.byteLength);
  }

  /**
   * `places` says where the first and the last page of a session are noted. Sessions at 0 are left alone, or are of
   * one visit when all are asked for: nothing else can say what their pages are.
   */
  private look(places: Uint32Array, size: number, isOfAll: boolean): void {
    const earliest = new ExtremeEvent(size, "earliest", this.workspace.budget);
    const latest = new ExtremeEvent(size, "latest", this.workspace.budget);
    for (const id of this.sessions.segmentIds) {
      this.workspace.check();
      const numbers = this.sessions.numbersIn(id);
      if (isOfAll || isAnyIn(places, numbers)) {
        this.lookIn(id, numbers, { of: places, isOfAll }, earliest, latest);
      }
    }
    earliest.letGo();
    latest.letGo();
  }

  private lookIn(
    id: number,
    numbers: Uint32Array,
    places: { readonly of: Uint32Array; readonly isOfAll: boolean },
    earliest: ExtremeEvent,
    latest: ExtremeEvent,
  ): void {
    const segment = this.workspace.open(id);
    const { paths, codes, pageAt } = this.pages.pagesIn(segment);
    const { firstTime, firstRows } = segment;
    const starts = segment.integers("visit.start");
    const durations = segment.integers("visit.duration");
    for (let v = 0; v < numbers.length; v++) {
      if (v % valuesPerCheck === 0) this.workspace.check();
      const n = numbers[v];
      const place = places.of[n];
      if (place === 0 && (n === 0 || !places.isOfAll)) continue;
      const from = firstRows[v];
      const to = firstRows[v + 1] - 1;
      let first = from;
      let last = to;
      // Nearly every event has a path: nothing is called for it.
      let entry = codes === null ? noPage : paths[codes[first]];
      if (entry < 0) {
        while (first <= last && pageAt(first) < 0) first++;
        if (!(first <= last)) continue;
        entry = pageAt(first);
      }
      let exit = codes === null ? noPage : paths[codes[last]];
      if (exit < 0) {
        while (pageAt(last) < 0) last--;
        exit = pageAt(last);
      }
      if (place === 0) {
        this.entry[n] = entry;
        this.exit[n] = exit;
        continue;
      }
      // Nearly every event has a page; the times of single ones are then never read.
      const firstMs = firstTime + (first === from ? starts[v] : segment.times[first]);
      const lastMs = firstTime + (last === to ? starts[v] + durations[v] : segment.times[last]);
      if (earliest.moves(place, firstMs, segment, first)) this.entry[n] = entry;
      if (latest.moves(place, lastMs, segment, last)) this.exit[n] = exit;
    }
  }
}

const noPage = -1;

/** The page of each row of a segment. */
interface PagesOfRows {
  /** The page of each code of a path; none where the path tells none, and the address is asked. */
  readonly paths: Int32Array;
  readonly codes: Integers | null;
  readonly pageAt: (row: number) => number;
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

  pagesIn(segment: Segment): PagesOfRows {
    const codes = segment.codes("property.path");
    const paths = this.translate(segment, "property.path");
    let pageOfUrl: ((row: number) => number) | null = null; // most events have a path; then urls are never read
    const pageAt = (row: number): number => {
      const page = codes === null ? noPage : paths[codes[row]];
      if (page >= 0) return page;
      pageOfUrl ??= this.urlsIn(segment);
      return pageOfUrl(row);
    };
    return { paths, codes, pageAt };
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
    // These pages are of one segment, and garbage when the next is looked through.
    this.workspace.budget.letGo(pages.byteLength);
    return pages;
  }
}

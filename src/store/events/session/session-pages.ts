import type { Integers } from "../segment/codec";
import type { Segment } from "../segment/segment";
import { stringText } from "../segment/texts";
import { valuesPerCheck } from "../sets/budget";
import { ExtremeEvent } from "../sets/extreme-event";
import { TextTable } from "../sets/text-table";
import type { Workspace } from "../sets/workspace";
import { SessionColumn } from "./session-column";
import type { SessionLinks } from "./session-links";

/** Names that are not used any more are kept, up to the number that there was at first plus this number. */
const spareNames = 4_096;

/** The sessions whose pages it finds, by numbers from 1. */
interface PagesSource {
  readonly count: number;
  /** By segment, the numbers of the visits of new and changed sessions. */
  readonly visits: Iterable<readonly [segment: number, numbers: Uint32Array]>;
  /** The sessions with several visits to compare, by places from 1. Any other session has a single visit. */
  readonly linked: Pick<SessionLinks, "count" | "places">;
}

/** The pages of the table that this one extends, and the sessions that changed since. */
interface KnownPages {
  readonly of: SessionPages;
  readonly changed: Uint32Array;
}

/** Entry and exit page of each session. Index = session number; values are numbers of pages, −1 for none. */
export class SessionPages {
  private readonly entries: SessionColumn<Int32Array>;
  private readonly exits: SessionColumn<Int32Array>;
  private readonly pages: PageNames;
  private readonly namesMax: number;

  constructor(
    source: PagesSource,
    private readonly workspace: Workspace,
    known: KnownPages | null = null,
  ) {
    const { count } = source;
    const { budget } = workspace;
    const begin = (column: SessionColumn<Int32Array> | undefined): SessionColumn<Int32Array> =>
      column?.extended(count, known?.changed ?? none, budget) ??
      SessionColumn.of(Int32Array, noPage, count, budget);
    this.entries = begin(known?.of.entries);
    this.exits = begin(known?.of.exits);
    this.pages = known?.of.pages ?? new PageNames(workspace);
    this.look(source);
    this.namesMax = known?.of.namesMax ?? 2 * this.count + spareNames;
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
    return this.entries.bytes + this.exits.bytes + this.pages.table.byteLength;
  }
  get entry(): Int32Array {
    return this.entries.values;
  }
  get exit(): Int32Array {
    return this.exits.values;
  }
  /** Restores the pages from before the extension. */
  takeBack(): void {
    this.entries.takeBack();
    this.exits.takeBack();
  }

  private look({ visits, linked }: PagesSource): void {
    const { check, budget } = this.workspace;
    const earliest = new ExtremeEvent(linked.count + 1, "earliest", budget);
    const latest = new ExtremeEvent(linked.count + 1, "latest", budget);
    for (const [id, numbers] of visits) {
      check();
      this.lookIn(id, numbers, linked.places, earliest, latest);
    }
    earliest.release();
    latest.release();
  }

  private lookIn(
    id: number,
    numbers: Uint32Array,
    places: Uint32Array,
    earliest: ExtremeEvent,
    latest: ExtremeEvent,
  ): void {
    const segment = this.workspace.open(id);
    const { paths, codes, pageAt } = this.pages.pagesIn(segment);
    const { firstTime, firstRows } = segment;
    const starts = segment.integers("visit.start");
    const durations = segment.integers("visit.duration");
    const [entries, exits] = [this.entry, this.exit];
    for (let v = 0; v < numbers.length; v++) {
      if (v % valuesPerCheck === 0) this.workspace.check();
      const n = numbers[v];
      if (n === 0) continue;
      const place = places[n];
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
        entries[n] = entry;
        exits[n] = exit;
        continue;
      }
      // Nearly every event has a page; the times of single ones are then never read.
      const firstMs = firstTime + (first === from ? starts[v] : segment.times[first]);
      const lastMs = firstTime + (last === to ? starts[v] + durations[v] : segment.times[last]);
      if (earliest.moves(place, firstMs, segment, first)) entries[n] = entry;
      if (latest.moves(place, lastMs, segment, last)) exits[n] = exit;
    }
  }
}

const noPage = -1;
const none = new Uint32Array(0);

/** The page of each row of a segment. */
interface PagesOfRows {
  /** The page of each code of a path; none where the path tells none, and the address is asked. */
  readonly paths: Int32Array;
  readonly codes: Integers | null;
  readonly pageAt: (row: number) => number;
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
    this.workspace.budget.addGarbage(pages.byteLength);
    return pages;
  }
}

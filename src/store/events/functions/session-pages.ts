import type { Segment } from "../segment/segment";
import type { Context } from "./context";
import { Outermost } from "./outermost";
import type { Sessions } from "./sessions";

/** Index = session number; values index `names`, −1 for none. */
export interface SessionPages {
  readonly entry: Int32Array;
  readonly exit: Int32Array;
  readonly names: readonly string[];
}

export function sessionPages(sessions: Sessions, context: Context): SessionPages {
  const size = sessions.count + 1;
  const entry = new Int32Array(size).fill(-1);
  const exit = new Int32Array(size).fill(-1);
  const pages = new PageNames();
  const earliest = new Outermost(size, "earliest");
  const latest = new Outermost(size, "latest");
  for (const segment of sessions.segmentIds.map(context.open)) {
    context.check();
    const numbers = sessions.numbersIn(segment.id);
    const pageAt = pages.pagesIn(segment);
    const { firstTime, firstRows, times } = segment;
    for (let v = 0; v < numbers.length; v++) {
      const n = numbers[v];
      if (n === 0) continue;
      let first = firstRows[v];
      let last = firstRows[v + 1] - 1;
      while (first <= last && pageAt(first) < 0) first++;
      if (first > last) continue;
      while (pageAt(last) < 0) last--;
      if (earliest.moves(n, firstTime + times[first], segment, first)) entry[n] = pageAt(first);
      if (latest.moves(n, firstTime + times[last], segment, last)) exit[n] = pageAt(last);
    }
  }
  return { entry, exit, names: pages.names };
}

/** Page of an event: properties.path, else properties.url, when a non-empty string. Numbered across segments. */
class PageNames {
  readonly names: string[] = [];
  private readonly numbers = new Map<string, number>();

  pagesIn(segment: Segment): (row: number) => number {
    const pathCodes = segment.codes("property.path");
    const paths = this.translate(segment, "property.path");
    const urlCodes = segment.codes("property.url");
    let urls: Int32Array | null = null; // most events have a path; then the dictionary of urls is never read
    return (row) => {
      const page = pathCodes === null ? -1 : paths[pathCodes[row]];
      if (page >= 0 || urlCodes === null) return page;
      urls ??= this.translate(segment, "property.url");
      return urls[urlCodes[row]];
    };
  }
  /** Page number per code of the column. */
  private translate(segment: Segment, column: string): Int32Array {
    const dictionary = segment.dictionary(column);
    const pages = new Int32Array(dictionary.length + 1).fill(-1);
    dictionary.forEach((value, index) => {
      if (typeof value === "string" && value !== "") pages[index + 1] = this.numberOf(value);
    });
    return pages;
  }
  private numberOf(page: string): number {
    let number = this.numbers.get(page);
    if (number === undefined) {
      number = this.names.push(page) - 1;
      this.numbers.set(page, number);
    }
    return number;
  }
}

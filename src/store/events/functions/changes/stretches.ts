import type { Selection } from "../../scan/selection";
import type { Segment } from "../../segment/segment";
import type { Budget } from "../budget";
import type { Identity } from "../identity";
import type { CodedRows, VisitLayer } from "../sets/row-values";
import type { PeriodDates } from "./period-dates";

/**
 * The events of a segment's visits, a date at a time: a stretch is the rows of one visit on one date. They follow each
 * other by date, so that those of a date lie together; of a segment of one date they are its visits.
 */
export class Stretches {
  readonly firstDay: number;
  /** The first stretch of each date, from the first one on, and the end of all. */
  private readonly ofDates: Uint32Array;
  /** The first row of each stretch, and the end of its rows. */
  readonly from: Uint32Array;
  readonly to: Uint32Array;
  /** The present user of each stretch; 0 for nobody, or when none of its rows is counted. */
  readonly users: Uint32Array;
  private readonly datesName: string;
  private readonly maskCodesMax: number;

  constructor(
    readonly selection: Selection,
    identity: Identity,
    dates: PeriodDates,
    budget: Budget,
  ) {
    const { segment } = selection;
    const { first, count } = dates.spanOf(segment);
    const { firstRows, visitCount } = segment;
    const users = identity.usersOf(segment);
    const dateOf = dates.ofRows(segment);
    this.firstDay = first;
    this.maskCodesMax = budget.tuning.maskCodesMax;
    this.datesName = dateOf === null ? "" : ` by date in ${dates.zone.name}`;
    if (dateOf === null) {
      this.ofDates = Uint32Array.of(0, visitCount);
      this.from = firstRows.subarray(0, visitCount);
      this.to = firstRows.subarray(1);
      const { visits } = selection;
      this.users = selection.isAll ? users : users.map((user, visit) => visits[visit] * user);
      return;
    }
    this.ofDates = startsOf(firstRows, dateOf, count);
    const stretches = this.ofDates[count];
    this.from = budget.words(stretches);
    this.to = budget.words(stretches);
    this.users = budget.words(stretches);
    const next = this.ofDates.slice();
    eachStretch(firstRows, dateOf, (visit, from, to) => {
      const at = next[dateOf[from]]++;
      this.from[at] = from;
      this.to[at] = to;
      if (this.hasRow(at)) this.users[at] = users[visit];
    });
  }

  get segment(): Segment {
    return this.selection.segment;
  }
  get length(): number {
    return this.from.length;
  }
  private hasRow(stretch: number): boolean {
    const { rows } = this.selection;
    for (let row = this.from[stretch]; row < this.to[stretch]; row++)
      if (rows[row] === 1) return true;
    return false;
  }
  /** Returns the first stretch of a date; beyond the last date, the end of all. */
  startOf(day: number): number {
    const { ofDates, firstDay } = this;
    return ofDates[Math.max(0, Math.min(day - firstDay, ofDates.length - 1))];
  }

  /**
   * Returns for each stretch the codes of its rows, as bits; null where there are too many codes. Those of all rows are
   * kept where they have a name: four bytes a stretch.
   */
  masksOf(values: CodedRows, name: string | null): Int32Array | null {
    if (values.size > this.maskCodesMax) return null;
    const make = () => this.masksOfVisits(values.ofVisits) ?? this.findMasks(values.codes);
    if (name === null) return make();
    return this.selection.memoArray(`codes of stretches by ${name}${this.datesName}`, make);
  }
  /** Returns the masks if each stretch is a visit with all its rows; else null. */
  private masksOfVisits(layer: VisitLayer | null): Int32Array | null {
    if (layer === null || !this.selection.isAll || this.datesName !== "") return null;
    const { codes, rows, codeOf } = layer;
    const { firstRows } = this.segment;
    const masks = new Int32Array(codes.length);
    for (let visit = 0; visit < masks.length; visit++) {
      const code = codes[visit];
      let mask = 1 << code;
      if (code === 0 && rows !== null && codeOf !== null) {
        mask = 0;
        const end = firstRows[visit + 1];
        for (let row = firstRows[visit]; row < end; row++) mask |= 1 << codeOf[rows[row]];
      }
      masks[visit] = mask;
    }
    return masks;
  }
  private findMasks(codes: CodedRows["codes"]): Int32Array {
    const { from, to } = this;
    const { rows } = this.selection;
    const masks = new Int32Array(this.length);
    if (codes === null) return masks.map((_, at) => (this.hasRow(at) ? 1 : 0));
    for (let at = 0; at < masks.length; at++) {
      let mask = 0;
      for (let row = from[at]; row < to[at]; row++) mask |= rows[row] << codes[row];
      masks[at] = mask;
    }
    return masks;
  }
}

/** Returns the first stretch of each date, and the end of all. */
function startsOf(firstRows: Uint32Array, dateOf: Uint16Array, count: number): Uint32Array {
  const starts = new Uint32Array(count + 1);
  eachStretch(firstRows, dateOf, (_visit, from) => {
    starts[dateOf[from] + 1]++;
  });
  for (let date = 0; date < count; date++) starts[date + 1] += starts[date];
  return starts;
}

/** The rows of a visit are in order of time, so that those of a date follow each other. */
function eachStretch(
  firstRows: Uint32Array,
  dateOf: Uint16Array,
  see: (visit: number, from: number, to: number) => void,
): void {
  for (let visit = 0; visit + 1 < firstRows.length; visit++) {
    const end = firstRows[visit + 1];
    for (let from = firstRows[visit], to = from; from < end; from = to) {
      const date = dateOf[from];
      if (dateOf[end - 1] === date) to = end;
      else while (dateOf[to] === date) to++;
      see(visit, from, to);
    }
  }
}

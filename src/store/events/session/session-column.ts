/*
 * A table of sessions uses the memory of the one that it extends.
 * Decision: a column has room for more sessions. The column that extends it uses the same memory: it saves the old
 * values of the sessions that changed, and overwrites them. The first column writes the old values back (takeBack)
 * before it is read again.
 * Because: fresh memory costs a page fault for each 4 kB. With a copy of each column, a list of sessions took 8 ms
 * after each commit at 2M events, and now 2.
 * Cost: while a table extends another, reads can only use the extending table.
 * Revisit: if a table only has values of linked sessions.
 */

import { type Budget, grownLength } from "../sets/budget";

export type ColumnValues = Uint8Array | Uint16Array | Uint32Array | Float64Array;
export type ValuesType<V extends ColumnValues> = {
  new (length: number): V;
  readonly BYTES_PER_ELEMENT: number;
};

/** The spare room of a column: this share of its sessions, but at least `spareMin`. */
const spareShare = 1 / 16;
const spareMin = 4_096;

/** Values by the number of a session. */
export class SessionColumn<V extends ColumnValues> {
  /** The values of changed sessions before another column extended this one. */
  private before: { readonly sessions: Uint32Array; readonly values: V } | null = null;

  private constructor(
    private type: ValuesType<V>,
    private readonly initial: number,
    private count: number,
    public values: V,
  ) {}

  /** All sessions have the initial value. */
  static of<V extends ColumnValues>(
    type: ValuesType<V>,
    initial: number,
    count: number,
    budget: Budget,
  ): SessionColumn<V> {
    const length = 1 + count + Math.max(spareMin, Math.ceil(spareShare * count));
    budget.take(type.BYTES_PER_ELEMENT * length);
    const values = new type(length);
    if (initial !== 0) values.fill(initial);
    return new SessionColumn(type, initial, count, values);
  }

  get bytes(): number {
    const { sessions, values } = this.before ?? {};
    return this.values.byteLength + (sessions?.byteLength ?? 0) + (values?.byteLength ?? 0);
  }
  /** Returns the column for more sessions. Sessions that are new or changed have the initial value. */
  extended(count: number, changed: Uint32Array, budget: Budget): SessionColumn<V> {
    this.takeBack();
    const { type, initial } = this;
    if (count >= this.values.length) {
      const wider = new type(grownLength(count + 1));
      budget.take(wider.byteLength);
      wider.set(this.values);
      budget.giveBack(this.values.byteLength);
      this.values = wider;
    }
    const { values } = this;
    const before = new type(changed.length);
    for (let at = 0; at < changed.length; at++) before[at] = values[changed[at]];
    this.before = { sessions: changed, values: before };
    for (const n of changed) values[n] = initial;
    values.fill(initial, this.count + 1, count + 1);
    return new SessionColumn(type, initial, count, values);
  }
  /** Takes memory for larger values. */
  widen(type: ValuesType<V>, budget: Budget): void {
    const wider = new type(this.values.length);
    budget.take(wider.byteLength);
    wider.set(this.values);
    budget.giveBack(this.values.byteLength);
    this.type = type;
    this.values = wider;
  }
  /** Uses the memory of the column that extends this one, and has taken other memory since. */
  share({ type, values }: SessionColumn<V>): void {
    this.type = type;
    this.values = values;
  }
  /** Restores the values from before the extension. The column that extends this one is not valid any more. */
  takeBack(): void {
    const { before, values } = this;
    if (before === null) return;
    for (let at = 0; at < before.sessions.length; at++)
      values[before.sessions[at]] = before.values[at];
    this.before = null;
  }
}

import { comma, membersOf, parseString, quote, stringEnd, valueEnd } from "../../shared/json-text";
import type { Tuning } from "../tuning";
import type { ShapeKey } from "./column";
import { type ColumnKeys, canNameColumn } from "./column-keys";
import { type CodedTexts, DenseColumn, inOrder, SparseColumn } from "./dictionary";
import type { Segment } from "./segment";

/** A search of the overflow for more keys would take longer than parsing it. */
const searchedKeysMax = 16;
/** The tree of shapes stops growing at this number of nodes. */
const shapeNodesMax = 65_536;

/** A key as JSON text; null stands for a key that has no column. */
type KeyText = string | null;

/** A node for each sequence of keys: one lookup for each property returns both its column and the next node. */
interface ShapeNode {
  readonly parent: ShapeNode | null;
  readonly key: KeyText;
  next: Map<string, ShapeStep> | null;
  /** The step that the event before took: most events have the same shape as one before. */
  likely: ShapeStep | null;
  /** The next node if the next key has no column. */
  afterOverflow: ShapeNode | null;
  /** The code of the shape that ends here; 0 before the first event of this shape. */
  code: number;
}
interface ShapeStep {
  /** The key and its colon. */
  readonly head: string;
  readonly column: SparseColumn;
  readonly node: ShapeNode;
}

/** A segment that is built: the order of its rows, and functions that receive its columns. */
export interface Target {
  readonly order: Uint32Array;
  giveColumn(name: string, column: CodedTexts): void;
  /** Receives one line for each marked row. */
  giveOverflow(lines: string, marks: Uint8Array): void;
}

/**
 * Collects properties in columns. Its memory is bounded, whatever the keys are: the number of columns is limited, each
 * takes memory only for its values, and all other properties stay text.
 */
export class PropertyCollector {
  /** Tells whether some keys got no column: with frequent keys chosen first, the segment would be better. */
  isOverfull = false;
  private readonly shapes: DenseColumn;
  private readonly keysOfShape: (readonly KeyText[])[] = [];
  private readonly columns = new Map<string, SparseColumn>();
  private readonly overflowOf = new Map<number, string>();
  private readonly root = nodeAfter(null, null);
  private nodes = 1;

  constructor(
    capacity: number,
    /** The keys that get a column; null if the first keys that occur get one, up to the limit. */
    private readonly chosen: ColumnKeys | null,
    private readonly tuning: Tuning,
  ) {
    this.shapes = new DenseColumn(capacity);
  }

  /** Adds the properties of the object that begins at `at`, and returns its end. */
  add(row: number, text: string, at: number): number {
    let node = this.root;
    let overflow = "";
    // Consecutive members without a column are cut out as one text.
    let runStart = -1;
    let next = at + 1;
    let end = at;
    while (text.charCodeAt(next) === quote) {
      let step = node.likely;
      let valueAt: number;
      if (step !== null && text.startsWith(step.head, next)) {
        valueAt = next + step.head.length;
      } else {
        const keyEnd = stringEnd(text, next);
        const mayHaveColumn = this.chosen === null || this.chosen.mayHave(text, next, keyEnd);
        step = mayHaveColumn ? this.stepOf(node, text.slice(next, keyEnd)) : null;
        valueAt = keyEnd + 1;
      }
      if (step !== null && runStart >= 0) {
        overflow += text.slice(runStart, next);
        runStart = -1;
      }
      end = valueEnd(text, valueAt);
      if (step === null) {
        if (runStart < 0) runStart = next;
        node = this.nodeAfterOverflow(node);
      } else {
        step.column.set(row, text.slice(valueAt, end));
        node.likely = step;
        node = step.node;
      }
      next = text.charCodeAt(end) === comma ? end + 1 : end;
    }
    if (runStart === at + 1) this.overflowOf.set(row, text.slice(at, next + 1));
    else {
      if (runStart >= 0) overflow += text.slice(runStart, end);
      else if (overflow !== "") overflow = overflow.slice(0, -1);
      if (overflow !== "") this.overflowOf.set(row, `{${overflow}}`);
    }
    if (node.code === 0) node.code = this.shapeCode(keysUpTo(node));
    this.shapes.codes[row] = node.code;
    return next + 1;
  }

  /**
   * Adds the columns of a segment, whose first event becomes row `at`. It adds no values and returns false if
   * the builder has to read the properties of each event instead.
   */
  addColumns(segment: Segment, at: number): boolean {
    const names = segment.storedNames().filter((name) => name.startsWith("property."));
    const keys = names.map((name) => JSON.stringify(name.slice("property.".length)));
    const columns = keys.map((key) => this.columnFor(key));
    if (columns.includes(null) || !this.takesOverflow(segment, keys)) return false;
    names.forEach((name, index) => {
      const column = columns[index]!;
      const codes = segment.codes(name)!;
      const translated = column.dictionary.translate(segment.dictionary(name));
      for (let i = 0; i < codes.length; i++) {
        if (codes[i] !== 0) column.setCode(at + i, translated[codes[i]]);
      }
    });
    const shapes = segment.dictionary("event.shape") as readonly (readonly ShapeKey[])[];
    const translated = new Uint32Array([
      0,
      ...shapes.map((keys) =>
        this.shapeCode(keys.map((key) => (key === null ? null : JSON.stringify(key)))),
      ),
    ]);
    const codes = segment.codes("event.shape")!;
    for (let i = 0; i < codes.length; i++) this.shapes.codes[at + i] = translated[codes[i]];
    segment.overflow?.forEachLine((row, line) => this.overflowOf.set(at + row, line));
    return true;
  }

  /** Tells whether the lines of the overflow can stay as they are: none may have a key that is to become a column. */
  private takesOverflow({ overflow }: Segment, columnKeys: readonly string[]): boolean {
    if (overflow === null) return true;
    if (this.chosen === null) return false;
    const others = this.chosen.without(columnKeys);
    return others.length <= searchedKeysMax && !others.some((key) => overflow.has(key));
  }

  /** Returns the properties of a row as JSON text; null if it has none. `codesOf` returns a code of a column by row. */
  textAt(row: number, codesOf: (column: SparseColumn) => Uint32Array): string | null {
    const shape = this.shapes.codes[row];
    if (shape === 0) return null;
    const overflow = membersOf(this.overflowOf.get(row) ?? "{}");
    let next = 0;
    const members = this.keysOfShape[shape - 1].map((key) => {
      if (key === null) return overflow[next++].join(":");
      const column = this.columns.get(key)!;
      return `${key}:${column.dictionary.texts[codesOf(column)[row] - 1]}`;
    });
    return `{${members.join(",")}}`;
  }

  /** Gives every column, one after the other, to each of the targets. */
  build(rowCount: number, targets: readonly Target[]): void {
    for (const { order, giveColumn } of targets) {
      giveColumn("event.shape", inOrder(this.shapes.dictionary.texts, this.shapes.codes, order));
    }
    for (const [key, column] of this.columns) {
      const codes = column.denseCodes(rowCount);
      for (const { order, giveColumn } of targets) {
        const ordered = inOrder(column.dictionary.texts, codes, order);
        if (ordered.texts.length > 0) giveColumn(`property.${parseString(key)}`, ordered);
      }
    }
    if (this.overflowOf.size > 0) for (const target of targets) this.buildOverflow(target);
  }

  private buildOverflow({ order, giveOverflow }: Target): void {
    const marks = new Uint8Array(order.length);
    const lines: string[] = [];
    for (let i = 0; i < order.length; i++) {
      const line = this.overflowOf.get(order[i]);
      if (line === undefined) continue;
      marks[i] = 1;
      lines.push(line);
    }
    if (lines.length > 0) giveOverflow(lines.join("\n"), marks);
  }

  private shapeCode(keys: readonly KeyText[]): number {
    const code = this.shapes.dictionary.code(`[${keys.map((key) => key ?? "null").join(",")}]`);
    this.keysOfShape[code - 1] = keys;
    return code;
  }

  /** Returns the step of a key; null when the key has no column. */
  private stepOf(node: ShapeNode, key: string): ShapeStep | null {
    return node.next?.get(key) ?? this.stepAfter(node, key);
  }
  private stepAfter(node: ShapeNode, key: string): ShapeStep | null {
    const column = this.columnFor(key);
    if (column === null) return null;
    const step = { head: `${key}:`, column, node: nodeAfter(node, key) };
    if (this.nodes < shapeNodesMax) {
      this.nodes++;
      node.next ??= new Map();
      node.next.set(key, step);
    }
    return step;
  }
  private nodeAfterOverflow(node: ShapeNode): ShapeNode {
    if (node.afterOverflow !== null) return node.afterOverflow;
    const after = nodeAfter(node, null);
    if (this.nodes < shapeNodesMax) {
      this.nodes++;
      node.afterOverflow = after;
    }
    return after;
  }
  private columnFor(key: string): SparseColumn | null {
    if (this.chosen !== null && !this.chosen.has(key)) return null;
    const existing = this.columns.get(key);
    if (existing !== undefined) return existing;
    if (!canNameColumn(key)) return null;
    if (this.columns.size >= this.tuning.propertyColumnsMax) {
      this.isOverfull = true;
      return null;
    }
    const column = new SparseColumn();
    this.columns.set(key, column);
    return column;
  }
}

const nodeAfter = (parent: ShapeNode | null, key: KeyText): ShapeNode => ({
  parent,
  key,
  next: null,
  likely: null,
  afterOverflow: null,
  code: 0,
});

function keysUpTo(end: ShapeNode): KeyText[] {
  const keys: KeyText[] = [];
  for (let node = end; node.parent !== null; node = node.parent) keys.push(node.key);
  return keys.reverse();
}

import { segmentPropertyColumnsMax } from "../../../domain/limits";
import { DenseColumn, type DictionaryBuilder, inOrder, SparseColumn } from "./dictionary";
import { overflowColumn } from "./overflow";
import type { Column, Segment, ShapeKey } from "./segment";

/** Longer keys, and such as UTF-8 cannot carry, are never the name of a column. No read can ask for longer ones. */
const columnKeyCharsMax = 256;
/** A tree of shapes larger than this is not remembered any further. */
const shapeNodesMax = 65_536;

/** A node per prefix of property keys: one lookup per property finds both its column and the next node. */
interface ShapeNode {
  readonly parent: ShapeNode | null;
  readonly key: ShapeKey;
  next: Map<string, ShapeStep> | null;
  /** After one more key that has no column. */
  afterOverflow: ShapeNode | null;
  /** Of the shape that ends here; 0 while none did. */
  code: number;
}
interface ShapeStep {
  readonly column: SparseColumn;
  readonly node: ShapeNode;
}

/** Which keys get a column. Null: the first ones that come, up to the limit. */
export type ColumnKeys = ReadonlySet<string> | null;

/**
 * Properties on their way into columns. What it takes is bounded whatever the keys are: there are at most so many
 * columns, each stores only what it has, and the rest is kept as text.
 */
export class PropertyCollector {
  /** Not all keys found a column: with keys chosen by frequency the segment would be better. */
  isOverfull = false;
  private readonly shapes: DenseColumn;
  private readonly columns = new Map<string, SparseColumn>();
  private readonly overflowOf = new Map<number, string>();
  private readonly root = nodeAfter(null, null);
  private nodes = 1;

  constructor(
    capacity: number,
    private readonly chosen: ColumnKeys,
  ) {
    this.shapes = new DenseColumn(capacity);
  }

  add(row: number, properties: Readonly<Record<string, unknown>>): void {
    let node = this.root;
    let overflow = "";
    for (const key in properties) {
      const value = properties[key];
      const step = node.next?.get(key) ?? this.stepAfter(node, key);
      if (step === null) {
        overflow += `${overflow === "" ? "" : ","}${JSON.stringify(key)}:${JSON.stringify(value)}`;
        node = this.nodeAfterOverflow(node);
      } else {
        step.column.set(row, value);
        node = step.node;
      }
    }
    if (overflow !== "") this.overflowOf.set(row, `{${overflow}}`);
    if (node.code === 0) node.code = this.shapes.dictionary.code(keysUpTo(node));
    this.shapes.codes[row] = node.code;
  }

  /** Takes over the columns of a segment whose first event becomes row `at`. False when they have no room here. */
  addColumns(segment: Segment, at: number): boolean {
    const names = segment.storedNames().filter((name) => name.startsWith("property."));
    const columns = names.map((name) => this.columnFor(name.slice("property.".length)));
    if (segment.overflow !== null || columns.includes(null)) return false;
    names.forEach((name, index) => {
      const column = columns[index]!;
      const codes = segment.codes(name)!;
      const translated = translate(segment.dictionary(name), column);
      for (let i = 0; i < codes.length; i++) {
        if (codes[i] !== 0) column.setCode(at + i, translated[codes[i]]);
      }
    });
    const shapes = segment.codes("event.shape")!;
    const translated = translate(segment.dictionary("event.shape"), this.shapes);
    for (let i = 0; i < shapes.length; i++) this.shapes.codes[at + i] = translated[shapes[i]];
    return true;
  }

  /** The properties of a row as JSON text; null when it had none. `codesOf` keeps the codes of columns at hand. */
  textAt(row: number, codesOf: (column: SparseColumn) => Uint32Array): string | null {
    const shape = this.shapes.codes[row];
    if (shape === 0) return null;
    const overflow = Object.entries(JSON.parse(this.overflowOf.get(row) ?? "{}"));
    let next = 0;
    const members = (this.shapes.dictionary.values[shape - 1] as ShapeKey[]).map((key) => {
      if (key === null) return overflow[next++];
      const column = this.columns.get(key)!;
      return [key, column.dictionary.values[codesOf(column)[row] - 1]] as const;
    });
    return `{${members.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`).join(",")}}`;
  }

  /** Gives every column, one after the other, for each of the orders. */
  build(
    rowCount: number,
    orders: readonly Uint32Array[],
    give: (order: number, name: string, column: Column) => void,
  ): void {
    orders.forEach((order, index) => {
      give(index, "event.shape", inOrder(this.shapes.dictionary.values, this.shapes.codes, order));
    });
    for (const [key, column] of this.columns) {
      const codes = column.denseCodes(rowCount);
      orders.forEach((order, index) => {
        const ordered = inOrder(column.dictionary.values, codes, order);
        if (ordered.dictionary.length > 0) give(index, `property.${key}`, ordered);
      });
    }
    if (this.overflowOf.size === 0) return;
    orders.forEach((order, index) => {
      const column = this.overflowIn(order);
      if (column !== null) give(index, overflowColumn, column);
    });
  }

  private overflowIn(order: Uint32Array): Column | null {
    const marks = new Uint8Array(order.length);
    const lines: string[] = [];
    for (let i = 0; i < order.length; i++) {
      const line = this.overflowOf.get(order[i]);
      if (line === undefined) continue;
      marks[i] = 1;
      lines.push(line);
    }
    return lines.length === 0 ? null : { dictionary: [lines.join("\n")], codes: marks };
  }

  /** Null when the key has no column. */
  private stepAfter(node: ShapeNode, key: string): ShapeStep | null {
    const column = this.columnFor(key);
    if (column === null) return null;
    const step = { column, node: nodeAfter(node, key) };
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
    const known = this.columns.get(key);
    if (known !== undefined) return known;
    if (this.chosen !== null && !this.chosen.has(key)) return null;
    if (!canNameColumn(key)) return null;
    if (this.columns.size >= segmentPropertyColumnsMax) {
      this.isOverfull = true;
      return null;
    }
    const column = new SparseColumn();
    this.columns.set(key, column);
    return column;
  }
}

export const canNameColumn = (key: string): boolean =>
  key.length <= columnKeyCharsMax && key.isWellFormed();

const nodeAfter = (parent: ShapeNode | null, key: ShapeKey): ShapeNode => ({
  parent,
  key,
  next: null,
  afterOverflow: null,
  code: 0,
});

function keysUpTo(end: ShapeNode): ShapeKey[] {
  const keys: ShapeKey[] = [];
  for (let node = end; node.parent !== null; node = node.parent) keys.push(node.key);
  return keys.reverse();
}

/** Codes of one dictionary in terms of another: each distinct value is looked up once. */
function translate(
  values: readonly unknown[],
  into: { readonly dictionary: DictionaryBuilder },
): Uint32Array {
  const codes = new Uint32Array(values.length + 1);
  for (let i = 0; i < values.length; i++) codes[i + 1] = into.dictionary.code(values[i]);
  return codes;
}

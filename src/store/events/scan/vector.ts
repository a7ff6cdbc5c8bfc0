import type { Integers } from "../segment/codec";
import type { Segment } from "../segment/segment";
import { storedCounts } from "../segment/stored-counts";
import type { Budget } from "../sets/budget";
import { GroupTable } from "../sets/group-table";
import { kernel } from "./kernel";
import { Selection } from "./selection";

/** A vector has a code for each row, for each visit, or one for the segment. */
export type Grain = "segment" | "visit" | "row";

export type Label = string | number | null;

/** Values of a segment as codes. */
export interface Vector {
  /** The grain and the codes are computed when they are read: stored counts need neither. */
  readonly grain: Grain;
  /** One for each visit or row; null if the grain is the segment, whose code is 0. Read it once. */
  readonly codes: Integers | null;
  /** Codes are below this. */
  readonly size: number;
  /**
   * Returns for each key the number of each code, at least of the codes that have a count; null if a code is the number
   * itself.
   */
  readonly numbers: (counts: ArrayLike<number>) => readonly (Uint32Array | null)[];
  /** The dictionary column whose codes these are, as the segment may have stored counts of it; else null. */
  readonly column: string | null;
  /** The name under which selections cache values computed from the codes; null if they do not. */
  readonly name: string | null;
}

/** Some rows of a segment, with a vector for them. */
export interface Piece {
  readonly selection: Selection;
  readonly vector: Vector;
}

/** A field that rows are grouped by. Its values have the same numbers in all segments; mostly 0 is null. */
export interface Key {
  /** Nearly always one vector for all rows; else one for visits with a single value, and one for the other rows. */
  pieces(segment: Segment): readonly Piece[];
  label(number: number): Label;
  /** Returns the first of many different numbers in order of their labels, without computing each label. */
  first(numbers: Uint32Array, count: number): ReadonlySet<number>;
  /** From now on, all values that have not occurred yet have one number. */
  close?(): void;
  /** Present if codes are the numbers themselves: all are below this, and groups need no table. */
  readonly numbersEnd?: number;
}

const noNumbers: readonly (Uint32Array | null)[] = [];
/** The vector without a key: all rows are one group. */
const noKey: Vector = {
  ...{ grain: "segment", codes: null, size: 1, numbers: () => noNumbers },
  ...{ column: null, name: null },
};
/** Returns the codes of a dictionary column; null if no row has it. `numbers` returns the number of each code. */
export function columnVector(
  segment: Segment,
  column: string,
  numbers: (counts: ArrayLike<number>) => Uint32Array | null = () => null,
): Vector | null {
  const counts = storedCounts(segment, column);
  if (counts === null && segment.column(column) === null) return null;
  return {
    // Codes are decoded when they are read: stored counts need none.
    get grain() {
      return segment.visitCodes(column) === null ? "row" : "visit";
    },
    get codes() {
      return segment.visitCodes(column) ?? segment.codes(column);
    },
    ...{ size: counts?.length ?? segment.texts(column).length + 1, column, name: column },
    numbers: (of) => [numbers(of)],
  };
}
/** Returns a vector with the same number for all rows of a segment. */
export const constant = (number: number): Vector => ({
  ...{ grain: "segment", codes: null, size: 1, column: null, name: null },
  numbers: () => [Uint32Array.of(number)],
});
export const ofAll = (segment: Segment, vector: Vector): readonly Piece[] => [
  { selection: Selection.all(segment), vector },
];

/** Combines the pieces of several keys. */
export function piecesOf(
  selection: Selection,
  keys: readonly Key[],
  budget: Budget,
): readonly Piece[] {
  return keys.reduce<readonly Piece[]>(
    (pieces, key) => {
      const own = key.pieces(selection.segment);
      return pieces.flatMap((piece) => own.map((one) => combined(piece, one, budget)));
    },
    [{ selection, vector: noKey }],
  );
}

/** Combines two keys: the result has the finer grain, and needs no codes of its own if one key is constant. */
function combined(left: Piece, right: Piece, budget: Budget): Piece {
  const selection = left.selection.and(right.selection);
  const [a, b] = [left.vector, right.vector];
  if (a === noKey) return { selection, vector: b };
  if (isConstant(b))
    return { selection, vector: withConstant(a, b, (own, more) => [...own, ...more]) };
  if (isConstant(a))
    return { selection, vector: withConstant(b, a, (own, more) => [...more, ...own]) };
  return { selection, vector: pairsOf(selection.segment, a, b, budget) };
}
/** The column is checked first: reading the grain of a column may decode its codes. */
export const isConstant = (vector: Vector): boolean =>
  vector.column === null && vector.grain === "segment";

type Numbers = readonly (Uint32Array | null)[];
function withConstant(
  vector: Vector,
  one: Vector,
  joined: (own: Numbers, more: Numbers) => Numbers,
): Vector {
  const { size, column, name } = vector;
  return {
    ...{ size, column, name },
    get grain() {
      return vector.grain;
    },
    get codes() {
      return vector.codes;
    },
    numbers: (counts) =>
      joined(
        vector.numbers(counts),
        one.numbers([1]).map((numbers) => new Uint32Array(size).fill(numbers?.[0] ?? 0)),
      ),
  };
}

/** Numbers the pairs of codes that occur, in order of first use. It computes its codes at each read, to save memory. */
function pairsOf(segment: Segment, a: Vector, b: Vector, budget: Budget): Vector {
  const grain = a.grain === b.grain ? a.grain : "row";
  const codesOf = ({ grain: own, codes }: Vector): Integers =>
    own === grain ? codes! : spread(codes!, segment.firstRows);
  const make = (): Paired =>
    a.size * b.size <= budget.tuning.pairArrayLengthMax
      ? densePairs(codesOf(a), codesOf(b), a.size, b.size)
      : sparsePairs(codesOf(a), codesOf(b), budget);
  const { left, right } = make();
  return {
    ...{ grain, column: null, name: null, size: left.length },
    get codes() {
      return make().codes;
    },
    numbers: (counts) => [...numbersThrough(left, a, counts), ...numbersThrough(right, b, counts)],
  };
}
interface Paired {
  readonly codes: Uint32Array;
  /** The code of each side, by the code of the pair. */
  readonly left: Uint32Array;
  readonly right: Uint32Array;
}

function numbersThrough(side: Uint32Array, vector: Vector, counts: ArrayLike<number>): Numbers {
  const ofSide = new Uint32Array(vector.size);
  for (let pair = 0; pair < side.length; pair++) if (counts[pair] > 0) ofSide[side[pair]] = 1;
  return vector
    .numbers(ofSide)
    .map((numbers) => (numbers === null ? side : side.map((code) => numbers[code])));
}

function densePairs(a: Integers, b: Integers, aSize: number, bSize: number): Paired {
  /** By pair: its code plus 1; 0 before the pair has occurred. */
  const numbers = new Uint32Array(aSize * bSize);
  const codes = pairsOfCodes(a, b, bSize);
  const memory = new Uint32Array(Math.min(numbers.length, a.length));
  const pairs = memory.subarray(0, numberPairs(codes, numbers, memory));
  return {
    codes,
    left: pairs.map((pair) => Math.floor(pair / bSize)),
    right: pairs.map((pair) => pair % bSize),
  };
}
const pairsOfCodes = kernel((a: Integers, b: Integers, bSize: number): Uint32Array => {
  const pairs = new Uint32Array(a.length);
  for (let i = 0; i < pairs.length; i++) pairs[i] = a[i] * bSize + b[i];
  return pairs;
});
/** Replaces each pair by its number, and returns how many pairs there are. */
const numberPairs = kernel(
  (codes: Uint32Array, numbers: Uint32Array, pairs: Uint32Array): number => {
    let count = 0;
    for (let i = 0; i < codes.length; i++) {
      const pair = codes[i];
      let code = numbers[pair];
      if (code === 0) {
        pairs[count] = pair;
        code = ++count;
        numbers[pair] = code;
      }
      codes[i] = code - 1;
    }
    return count;
  },
);

function sparsePairs(a: Integers, b: Integers, budget: Budget): Paired {
  const bytesBefore = budget.bytes;
  const table = new GroupTable(2, budget);
  const pair = new Uint32Array(2);
  const codes = new Uint32Array(a.length);
  budget.each(codes.length, (i) => {
    pair[0] = a[i];
    pair[1] = b[i];
    codes[i] = table.groupOf(pair);
  });
  const side = (place: number): Uint32Array =>
    Uint32Array.from({ length: table.size }, (_, code) => table.numberAt(code, place));
  const paired = { codes, left: side(0), right: side(1) };
  budget.giveBackTo(bytesBefore);
  return paired;
}

/** Repeats the code of each visit for each of its rows. */
const spread = kernel((codes: Integers, firstRows: Uint32Array): Uint32Array => {
  const rows = new Uint32Array(firstRows[codes.length]);
  for (let v = 0; v < codes.length; v++) rows.fill(codes[v], firstRows[v], firstRows[v + 1]);
  return rows;
});

/** Returns codes of rows, whatever the grain; null if all rows have code 0. */
export function rowCodesOf(segment: Segment, { grain, codes, column }: Vector): Integers | null {
  if (codes === null || grain === "row") return codes;
  return column === null ? spread(codes, segment.firstRows) : segment.codes(column);
}

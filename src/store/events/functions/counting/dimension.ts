import type { Integers } from "../../segment/codec";
import type { Segment } from "../../segment/segment";
import type { Dimension, Labels } from "./label";

/** Several dimensions of one segment as one. */
export interface Grouping {
  /** Null: all rows alike, code 0. */
  readonly codes: Integers | null;
  readonly size: number;
  /** Writes the numbers of a code's labels, one for each dimension. */
  readonly numbersOf: (code: number, into: Uint32Array) => void;
  /** The dictionary column that the codes are those of, when there is but one dimension. */
  readonly column?: string;
}

/** The groups of a segment's rows. Cost: a pass over the rows for each dimension but the first. */
export function groupingOf(segment: Segment, labels: readonly Labels[]): Grouping {
  const none: Grouping = { codes: null, size: 1, numbersOf: () => undefined };
  return labels.reduce((left, right, place) => {
    const dimension = right.dimension(segment);
    return place === 0 ? single(dimension) : paired(left, dimension, place, segment.eventCount);
  }, none);
}

const single = ({ codes, size, numberOf, column }: Dimension): Grouping => ({
  codes,
  size,
  ...(column !== undefined && { column }),
  numbersOf: (code, into) => {
    into[0] = numberOf(code);
  },
});

/** Up to here pairs are looked up in an array (16 MB), beyond in a map. */
const pairTableSizeMax = 1 << 22;

/** The pairs that occur, numbered in order of first use. */
function paired(left: Grouping, right: Dimension, place: number, count: number): Grouping {
  const pairs: number[] = [];
  const codes = new Uint32Array(count);
  const isDense = left.size * right.size <= pairTableSizeMax;
  const dense = new Uint32Array(isDense ? left.size * right.size : 0); // code + 1; 0 = not seen
  const sparse = new Map<number, number>();
  for (let i = 0; i < count; i++) {
    const leftCode = left.codes === null ? 0 : left.codes[i];
    const rightCode = right.codes === null ? 0 : right.codes[i];
    const pair = leftCode * right.size + rightCode;
    let code = isDense ? dense[pair] : (sparse.get(pair) ?? 0);
    if (code === 0) {
      code = pairs.push(pair);
      if (isDense) dense[pair] = code;
      else sparse.set(pair, code);
    }
    codes[i] = code - 1;
  }
  return {
    codes,
    size: pairs.length,
    numbersOf: (code, into) => {
      left.numbersOf(Math.floor(pairs[code] / right.size), into);
      into[place] = right.numberOf(pairs[code] % right.size);
    },
  };
}

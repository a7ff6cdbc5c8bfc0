import type { Integers } from "../../segment/codec";
import type { Segment } from "../../segment/segment";
import { type Budget, valuesPerCheck } from "../budget";
import { GroupTable } from "../sets/group-table";
import type { Dimension, Labels } from "./label";

/** Several dimensions of one segment as one. */
export interface Grouping {
  /** The code of each row; null when all rows are alike, with code 0. Those of a column are read when asked for. */
  readonly codes: Integers | null;
  readonly size: number;
  /** Writes the numbers of a code's labels, one for each dimension. */
  readonly numbersOf: (code: number, into: Uint32Array) => void;
  /** That of the dimension, when there is but one (`Dimension`). */
  readonly eachNumber?: NonNullable<Dimension["eachNumber"]>;
  /** The dictionary column that the codes are those of, when there is but one dimension. */
  readonly column?: string;
}

/** The groups of a segment's rows. Cost: a pass over the rows for each dimension but the first. */
export function groupingOf(segment: Segment, labels: readonly Labels[], budget: Budget): Grouping {
  const none: Grouping = { codes: null, size: 1, numbersOf: () => undefined };
  return labels.reduce((left, right, place) => {
    const dimension = right.dimension(segment);
    if (place === 0) return single(dimension);
    return paired(left, dimension, place, segment.eventCount, budget);
  }, none);
}

const single = (dimension: Dimension): Grouping => ({
  get codes() {
    return dimension.codes;
  },
  size: dimension.size,
  ...(dimension.column !== undefined && { column: dimension.column }),
  ...(dimension.eachNumber !== undefined && { eachNumber: dimension.eachNumber }),
  numbersOf: (code, into) => {
    into[0] = dimension.numberOf(code);
  },
});

/** The pairs that occur, numbered in order of first use. */
function paired(
  left: Grouping,
  right: Dimension,
  place: number,
  count: number,
  budget: Budget,
): Grouping {
  const isDense = left.size * right.size <= budget.tuning.pairArrayLengthMax;
  const pairs = isDense ? new DensePairs(left.size, right.size) : new SparsePairs(budget);
  const codes = new Uint32Array(count);
  // Those of a column are looked up by its name each time.
  const [leftCodes, rightCodes] = [left.codes, right.codes];
  for (let row = 0; row < count; row++) {
    if (row % valuesPerCheck === 0) budget.check();
    const leftCode = leftCodes === null ? 0 : leftCodes[row];
    codes[row] = pairs.codeOf(leftCode, rightCodes === null ? 0 : rightCodes[row]);
  }
  return {
    codes,
    size: pairs.size,
    numbersOf: (code, into) => {
      left.numbersOf(pairs.leftOf(code), into);
      into[place] = right.numberOf(pairs.rightOf(code));
    },
  };
}

interface Pairs {
  readonly size: number;
  /** The next one when the pair has not occurred. */
  codeOf(left: number, right: number): number;
  leftOf(code: number): number;
  rightOf(code: number): number;
}

class DensePairs implements Pairs {
  private readonly pairs: number[] = [];
  /** Code + 1; 0 = not seen. */
  private readonly codes: Uint32Array;

  constructor(
    leftSize: number,
    private readonly rightSize: number,
  ) {
    this.codes = new Uint32Array(leftSize * rightSize);
  }

  get size(): number {
    return this.pairs.length;
  }
  codeOf(left: number, right: number): number {
    const pair = left * this.rightSize + right;
    if (this.codes[pair] === 0) this.codes[pair] = this.pairs.push(pair);
    return this.codes[pair] - 1;
  }
  leftOf(code: number): number {
    return Math.floor(this.pairs[code] / this.rightSize);
  }
  rightOf(code: number): number {
    return this.pairs[code] % this.rightSize;
  }
}

class SparsePairs implements Pairs {
  private readonly table: GroupTable;
  private readonly pair = new Uint32Array(2);

  constructor(budget: Budget) {
    this.table = new GroupTable(2, budget);
  }

  get size(): number {
    return this.table.size;
  }
  codeOf(left: number, right: number): number {
    this.pair[0] = left;
    this.pair[1] = right;
    return this.table.groupOf(this.pair);
  }
  leftOf(code: number): number {
    return this.table.numberAt(code, 0);
  }
  rightOf(code: number): number {
    return this.table.numberAt(code, 1);
  }
}

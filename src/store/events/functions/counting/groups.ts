import type { Selection } from "../../scan/selection";
import type { Segment } from "../../segment/segment";
import { type Budget, valuesPerCheck } from "../budget";
import { GroupTable } from "../sets/group-table";
import { type Grouping, groupingOf } from "./dimension";
import type { Labels } from "./label";
import { addRows, codeCountsIn } from "./visit-masks";

/** The number that stands for no group, in rows that are left out. */
export const leftOut = -1;

/** Returns the places of groups, where some of these have one. */
export const placed = (groups: Int32Array, places: Int32Array): Int32Array =>
  groups.map((group) => (group === leftOut ? leftOut : (places[group] ?? leftOut)));

/** The groups of a segment's rows: how many rows each code has, and which group a code that occurs stands for. */
export interface SegmentGroups {
  /** Those of a column are read when they are asked for: what is stored counted needs none. */
  readonly codes: Grouping["codes"];
  readonly column: string | undefined;
  readonly counts: Uint32Array;
  readonly groupOf: Int32Array;
}

const withCodes = (
  groups: Omit<SegmentGroups, "codes">,
  codes: () => Grouping["codes"],
): SegmentGroups => ({
  ...groups,
  get codes() {
    return codes();
  },
});

interface KnownGroups {
  readonly column: string;
  readonly counts: Uint32Array;
  readonly groupOf: Int32Array;
}

/** What countings that follow each other share: the same groups under the same numbers, looked up once. */
export class Groups {
  readonly table: GroupTable;
  private readonly numbers: Uint32Array;
  /** The groups of segments whose codes are those of a column. Columns themselves are not held. */
  private readonly known = new Map<Segment, KnownGroups>();

  constructor(
    readonly labels: readonly Labels[],
    private readonly skipsNull: boolean,
    readonly budget: Budget,
    groupsMax?: number,
    /** `beside` numbers the same groups over other rows. */
    beside?: Groups,
  ) {
    this.table = beside?.table ?? new GroupTable(labels.length, budget, groupsMax);
    this.numbers = new Uint32Array(labels.length);
  }

  /** Every call with the same segment has the same rows. */
  in(selection: Selection): SegmentGroups {
    const { segment } = selection;
    const known = this.known.get(segment);
    if (known !== undefined) return withCodes(known, () => segment.codes(known.column));
    const { budget } = this;
    const bytesBefore = budget.bytes;
    const grouping = groupingOf(segment, this.labels, budget);
    const { column } = grouping;
    const bytesOfGrouping = budget.bytes - bytesBefore;
    const counts = countsIn(grouping, selection);
    const groupOf = this.groupsOf(grouping, counts);
    budget.giveBack(bytesOfGrouping); // the tables of pairs, which this segment alone had
    // Codes of several dimensions were made for this and take room; those of a column are there anyway.
    if (column !== undefined) {
      this.budget.take(groupOf.byteLength + counts.byteLength);
      this.known.set(segment, { column, counts, groupOf });
    }
    return withCodes({ column, counts, groupOf }, () => grouping.codes);
  }

  private groupsOf({ size, numbersOf, eachNumber }: Grouping, counts: Uint32Array): Int32Array {
    const groupOf = new Int32Array(size).fill(leftOut);
    const { numbers, table } = this;
    if (eachNumber !== undefined && size > this.budget.tuning.codesApartMax) {
      eachNumber(counts, (code, number) => {
        if (this.skipsNull && number === 0) return;
        numbers[0] = number;
        groupOf[code] = table.groupOf(numbers);
      });
      return groupOf;
    }
    for (let code = 0; code < size; code++) {
      if (code % valuesPerCheck === 0) this.budget.check();
      if (counts[code] === 0) continue;
      numbersOf(code, numbers);
      if (this.skipsNull && numbers.includes(0)) continue;
      groupOf[code] = table.groupOf(numbers);
    }
    return groupOf;
  }
}

/** Counts the rows that have each code. */
function countsIn(grouping: Grouping, selection: Selection): Uint32Array {
  if (grouping.column !== undefined) return codeCountsIn(selection, grouping.column);
  const { codes, size } = grouping;
  const counts = new Uint32Array(size);
  if (codes === null) counts[0] = selection.count;
  else addRows(codes, selection.rows, counts);
  return counts;
}

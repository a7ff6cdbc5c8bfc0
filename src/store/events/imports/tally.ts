import type { ErrorCode } from "../../../domain/errors";
import { ApiError } from "../../../domain/errors";
import type { ReportedRefusal, RowFate } from "../../../domain/import-report";

/** The first lines that are named for each reason. */
const linesNamedMax = 5;
/** A file of which more rows than this, and more than this share, are refused is not what it claims to be. */
const refusedRowsMax = 1_000;
const refusedShareMax = 0.01;
/** A file whose first rows, more than this number, are all refused for one reason is not read further. */
const refusedAtFirstMax = 100_000;

/** The counts of all rows of a file, stored or not. */
export interface WholeFile {
  readonly events: number;
  readonly pageViews: number;
  readonly users: number;
  readonly sessions: number;
}

/** The outcomes of a file's rows. */
export class Tally {
  readonly fates: Record<RowFate, number> = {
    ...{ stored: 0, duplicates: 0, overlap: 0, older: 0, folded: 0, unsupported: 0, refused: 0 },
    excluded: 0,
  };
  private readonly reasons = new Map<ErrorCode, { count: number; readonly lines: number[] }>();
  private rowsSeen = 0;

  /** A row was read, whose fate may be told later. */
  see(): void {
    this.rowsSeen++;
  }
  refuse(code: ErrorCode, line: number): void {
    this.fates.refused++;
    const reason = this.reasons.get(code) ?? { count: 0, lines: [] };
    this.reasons.set(code, reason);
    reason.count++;
    if (reason.lines.length < linesNamedMax) reason.lines.push(line);
    if (reason.count > refusedAtFirstMax && reason.count === this.rowsSeen) throw this.tooMany();
  }

  /** Throws when too much was refused, once all rows were read. */
  requireSense(): void {
    const { refused } = this.fates;
    if (refused <= refusedRowsMax || refused <= refusedShareMax * this.rowsSeen) return;
    throw this.tooMany();
  }
  private tooMany(): ApiError {
    const [worst] = this.refusals();
    const [line] = worst?.lines ?? [];
    return new ApiError(
      "IMPORT_BROKEN",
      `${this.fates.refused} of ${this.rowsSeen} rows cannot be stored, most of them because of ` +
        `${worst?.code}. Look at line ${line} of the file, and choose another kind or time zone if those are wrong.`,
      line === undefined ? {} : { line },
    );
  }

  /** Most rows first. */
  refusals(): ReportedRefusal[] {
    return [...this.reasons]
      .map(([code, { count, lines }]) => ({ code, count, lines }))
      .sort((a, b) => b.count - a.count || (a.code < b.code ? -1 : 1));
  }
}

import type { ErrorCode } from "../../../domain/errors";
import { ApiError } from "../../../domain/errors";
import type { ReportedRefusal, RowFate } from "../../../domain/import-report";

/** The number of lines that are named for each reason. */
const linesNamedMax = 5;
/** If more rows than this and more than this part of a file are refused, the file is not of its declared kind. */
const refusedRowsMax = 1_000;
const refusedShareMax = 0.01;
/** If the first rows of a file, more than this number, are all refused for one reason, the check stops reading. */
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

  /** Counts a row, whose fate may follow later. */
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

  /** Throws if too many rows were refused. Call it after the last row. */
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

  /** Returns the reasons with most rows first. */
  refusals(): ReportedRefusal[] {
    return [...this.reasons]
      .map(([code, { count, lines }]) => ({ code, count, lines }))
      .sort((a, b) => b.count - a.count || (a.code < b.code ? -1 : 1));
  }
}

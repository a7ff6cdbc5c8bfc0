import { retentionKind } from "../../../domain/day-row";
import { dayOf, isoDate } from "../../../domain/event";
import { timeZoneOf } from "../../../domain/time-zone";
import { clock, hourMs } from "../../../lib/clock";
import type { FileRow, ImportWork } from "../../imports";
import { DayTable } from "./day-table";
import type { Tally } from "./tally";

/** The zone that is ahead of all others. */
const zoneMsMax = 14 * hourMs;

/** The imports that the days of one file name as their origin. */
const originsMax = 1_000;

/** The sums of days in a file. A date belongs to the first import that had sums of it. */
export class DayRows {
  readonly table: DayTable;
  private readonly taken: ReadonlySet<string>;
  private readonly folded: ReadonlySet<string>;
  private readonly summed: ReadonlySet<string>;
  /** The end of the last date for which the project has sums of its own events. */
  private readonly summedUntilMs: number;
  private readonly origins = new Set<string>();
  /** A later date has not begun in any zone. */
  private readonly lastDate = isoDate(dayOf(clock.nowMs() + zoneMsMax));

  constructor(
    work: ImportWork,
    private readonly tally: Tally,
  ) {
    this.table = DayTable.create(work.folder);
    this.taken = new Set(work.takenDates);
    this.folded = new Set(work.foldedDates);
    this.summed = new Set(work.summedDates);
    const last = work.summedDates.at(-1);
    this.summedUntilMs =
      last === undefined ? 0 : timeZoneOf(work.zone).startOf(dayOf(Date.parse(last)) + 1);
  }

  take({ days, origin, line }: Extract<FileRow, { kind: "days" }>): void {
    const { fates } = this.tally;
    if (origin !== undefined) this.origins.add(`${origin.kind} ${origin.id}`);
    if (this.origins.size > originsMax) {
      this.tally.refuse("INVALID_BODY", line);
      return;
    }
    if (days.some(({ date }) => date > this.lastDate)) {
      this.tally.refuse("INVALID_TIMESTAMP", line);
      return;
    }
    const taken = origin?.kind === retentionKind ? this.folded : this.taken;
    const own = days.filter(({ date }) => !taken.has(date));
    if (own.length === 0 && days.length > 0) fates.overlap++;
    else fates.stored++;
    for (const row of own) this.table.add(row, origin);
  }
  /** Tells whether another import has sums of a date. */
  isTaken(date: string): boolean {
    return this.taken.has(date);
  }
  /** Tells whether retention has already counted the date of an event, so that its sums would lack the event. */
  isSummed(timeMs: number, dateOf: () => string): boolean {
    return timeMs < this.summedUntilMs && this.summed.has(dateOf());
  }
  finish(): void {
    this.table.finish();
  }
}

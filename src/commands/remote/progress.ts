import { secondMs } from "../../lib/clock";

/** A terminal, or a file or pipe in its place. */
export interface ProgressOutput {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/** How far something is. The totals are null where nobody can say them before the end. */
export interface ProgressState {
  readonly done: number;
  readonly total: number | null;
  /** A second figure, such as `1,200 rows`. */
  readonly more?: string;
}

/** Without a total there is no tenth of it: a line each time this passed. */
const linesEveryMs = 10 * secondMs;

/**
 * Reports on standard error how far a step is: once a second in one line of a terminal, otherwise a line for each
 * tenth.
 */
export class Progress {
  private readonly startedAt = performance.now();
  private writtenAt = this.startedAt;
  private tenths = 0;
  private hasLine = false;

  constructor(
    private readonly title: string,
    private readonly amount: (done: number) => string,
    private readonly output: ProgressOutput = process.stderr,
  ) {}

  show(state: ProgressState): void {
    if (!this.isDue(state)) return;
    this.writtenAt = performance.now();
    const text = this.textOf(state);
    this.output.write(this.output.isTTY === true ? `\r\u001b[K${text}` : `${text}\n`);
    this.hasLine = this.output.isTTY === true;
  }
  /** Ends the line on a terminal, whatever comes next. */
  end(): void {
    if (this.hasLine) this.output.write("\n");
    this.hasLine = false;
  }

  private isDue({ done, total }: ProgressState): boolean {
    const silentMs = performance.now() - this.writtenAt;
    if (this.output.isTTY === true) return silentMs >= secondMs;
    if (total === null) return silentMs >= linesEveryMs;
    const tenths = total === 0 ? 10 : Math.floor((10 * done) / total);
    if (tenths <= this.tenths) return false;
    this.tenths = tenths;
    return true;
  }
  private textOf({ done, total, more }: ProgressState): string {
    const seconds = Math.max(0.001, (performance.now() - this.startedAt) / secondMs);
    const rate = done / seconds;
    const share = total === null || total === 0 ? "" : ` of ${this.amount(total)}`;
    const left = total === null || done === 0 ? null : (total - done) / rate;
    return [
      `${this.title}: ${this.amount(done)}${share}`,
      ...(more === undefined ? [] : [more]),
      `${this.amount(rate)}/s`,
      ...(left === null ? [] : [`${durationText(left)} left`]),
    ].join(", ");
  }
}

const unitBytes = 1_000;
const units = ["B", "kB", "MB", "GB", "TB"];

/** `1.5 MB`. */
export function bytesText(bytes: number): string {
  let amount = bytes;
  let unit = 0;
  while (amount >= unitBytes && unit < units.length - 1) {
    amount /= unitBytes;
    unit++;
  }
  return `${amount >= 100 || unit === 0 ? Math.round(amount) : amount.toFixed(1)} ${units[unit]}`;
}

/** `1,234`. */
export const countText = (count: number): string => Math.round(count).toLocaleString("en-US");

/** `45 s`, `3 min`, `2.5 h`. */
function durationText(seconds: number): string {
  if (seconds < 100) return `${Math.ceil(seconds)} s`;
  if (seconds < 6_000) return `${Math.ceil(seconds / 60)} min`;
  return `${(seconds / 3_600).toFixed(1)} h`;
}

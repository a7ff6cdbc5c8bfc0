import { readFileSync } from "node:fs";

/** Processor time of a process since it started, in ms: of its main thread, and of all its other threads. */
export interface CpuTime {
  readonly mainMs: number;
  readonly othersMs: number;
}

/** The kernel counts in hundredths of a second. */
const tickMs = 10;

/** The process counts the time of threads that have ended too: a sum over those that are there could go down. */
export function cpuTimeOf(pid: number): CpuTime {
  const mainMs = timeIn(`/proc/${pid}/task/${pid}/stat`);
  return { mainMs, othersMs: timeIn(`/proc/${pid}/stat`) - mainMs };
}

function timeIn(file: string): number {
  const text = readFileSync(file, "utf8");
  // The name stands in brackets and may hold spaces; user and system time are the 12th and 13th field after it.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * tickMs;
}

/** What one of `count` units cost, in microseconds: a figure that a busy machine does not change much. */
export function costEach(before: CpuTime, after: CpuTime, count: number): string {
  const main = ((after.mainMs - before.mainMs) * 1000) / count;
  const others = ((after.othersMs - before.othersMs) * 1000) / count;
  return `${main.toFixed(1)} + ${others.toFixed(1)}`;
}

export interface Rest {
  /** A process that takes less than this share of a core … */
  readonly share: number;
  /** … for this time has nothing left to do. */
  readonly forMs: number;
}

/** Waits until a server has done what it does by itself after its start, or after events came in. */
export async function untilAtRest(pid: number, { share, forMs }: Rest): Promise<void> {
  for (let before = spentBy(pid); ; ) {
    await Bun.sleep(forMs);
    const now = spentBy(pid);
    if (now - before <= share * forMs) return;
    before = now;
  }
}

/** Processor time of all threads of a process, in ms. */
export function spentBy(pid: number): number {
  const { mainMs, othersMs } = cpuTimeOf(pid);
  return mainMs + othersMs;
}

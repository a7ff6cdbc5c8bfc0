import { readdirSync, readFileSync } from "node:fs";

/** Processor time of a process since it started, in ms: of its main thread, and of all its other threads. */
export interface CpuTime {
  readonly mainMs: number;
  readonly othersMs: number;
}

/** The kernel counts in hundredths of a second. */
const tickMs = 10;

export function cpuTimeOf(pid: number): CpuTime {
  const threads = readdirSync(`/proc/${pid}/task`).flatMap((thread) => {
    const text = statOf(pid, thread);
    if (text === null) return [];
    // The name stands in brackets and may hold spaces; user and system time are the 12th and 13th field after it.
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return {
      isMain: Number(thread) === pid,
      ms: (Number(fields[11]) + Number(fields[12])) * tickMs,
    };
  });
  const sum = (isMain: boolean): number =>
    threads.filter((thread) => thread.isMain === isMain).reduce((total, { ms }) => total + ms, 0);
  return { mainMs: sum(true), othersMs: sum(false) };
}

/** Null for a thread that has just ended. */
function statOf(pid: number, thread: string): string | null {
  try {
    return readFileSync(`/proc/${pid}/task/${thread}/stat`, "utf8");
  } catch {
    return null;
  }
}

/** What one of `count` units cost, in microseconds: a figure that a busy machine does not change much. */
export function costEach(before: CpuTime, after: CpuTime, count: number): string {
  const main = ((after.mainMs - before.mainMs) * 1000) / count;
  const others = ((after.othersMs - before.othersMs) * 1000) / count;
  return `${main.toFixed(1)} + ${others.toFixed(1)}`;
}

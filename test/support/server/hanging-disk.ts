import { readdirSync, readFileSync } from "node:fs";
import { eventually } from "../suite/eventually";

/** Longer than any test waits. */
const hangsForMicroseconds = 300_000_000;

/**
 * Makes every sync of a file hang in a running process, as a disk does that does not answer: no error comes, and what
 * the thread was at goes on when the disk answers again. `mend` makes it answer.
 */
export async function hangSyncsOf(file: string, pid: number): Promise<{ mend(): Promise<void> }> {
  const tracer = Bun.spawn(
    [
      ...["strace", "--follow-forks", `--attach=${pid}`, `--trace-path=${file}`],
      ...["--trace=fsync,fdatasync", "--output=/dev/null"],
      `--inject=fsync,fdatasync:delay_enter=${hangsForMicroseconds}`,
    ],
    { stdout: "ignore", stderr: "ignore" },
  );
  await eventually(() => {
    const untraced = threadsOf(pid).filter((status) => /^TracerPid:\s+0$/m.test(status));
    if (untraced.length > 0) throw new Error(`${untraced.length} threads are not traced yet.`);
  });
  return {
    // Threads whose tracer dies go on where they are.
    mend: async () => {
      tracer.kill("SIGKILL");
      await tracer.exited;
    },
  };
}

/**
 * Tells whether a process has ended but for the thread that hangs: no process is gone before its last thread is, and
 * that one is held by the tracer here and by the system on a real disk.
 */
export const hasEnded = (pid: number): boolean =>
  /^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));

const threadsOf = (pid: number): string[] =>
  readdirSync(`/proc/${pid}/task`).map((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/status`, "utf8"),
  );

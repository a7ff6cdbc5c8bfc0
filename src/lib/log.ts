import { clock } from "./clock";

export type LogLevel = "info" | "warn" | "error";
type Fields = Readonly<Record<string, string | number | boolean | null | undefined>>;

let write: (line: string) => void = (line) => {
  process.stderr.write(`${line}\n`);
};

/**
 * One JSON line per fact, on standard error. Callers pass route patterns, codes, counts and ids of ours; never an
 * address, a token, an email, a URL, or a text that came with an event.
 */
export function log(level: LogLevel, message: string, fields: Fields = {}): void {
  write(JSON.stringify({ time: new Date(clock.nowMs()).toISOString(), level, message, ...fields }));
}

/** Tests collect the lines. Returns what undoes it. */
export function replaceLogWriter(to: (line: string) => void): () => void {
  const before = write;
  write = to;
  return () => {
    write = before;
  };
}

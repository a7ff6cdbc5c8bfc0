import type { Properties } from "../../../domain/event";
import { DamagedBlob } from "./codec";

/** One event of a segment of rows. */
export interface EventRowIn {
  readonly ticket: number;
  readonly timeMs: number;
  readonly name: string;
  /** 0 = none. */
  readonly user: number;
  readonly sessionId: string | null;
  readonly country: string | null;
  readonly properties: Properties | null;
}

/**
 * The text of a segment of rows: a first line with what the writer adds (tickets, user numbers), then one line per event
 * as it came from the thread that took the request. The writer joins lines and never parses them.
 */
export interface RowTexts {
  /** One number: the first of consecutive ones. */
  readonly tickets: number | readonly number[];
  readonly users: readonly number[];
  readonly lines: readonly string[];
}

type Line = [number, string, string | null, string | null, Properties | null];
interface Head {
  readonly tickets: number | readonly number[];
  readonly users: readonly number[];
}

/** Lines never hold a line feed: JSON escapes it. */
export const rowSeparator = ",\n";

/** `properties` is JSON already. */
export function rowLine(
  timeMs: number,
  name: string,
  sessionId: string | null,
  country: string | null,
  properties: string | null,
): string {
  return `[${timeMs},${JSON.stringify(name)},${JSON.stringify(sessionId)},${JSON.stringify(country)},${properties}]`;
}

export function joinRows({ tickets, users, lines }: RowTexts): string {
  return `${JSON.stringify({ tickets, users } satisfies Head)}\n${lines.join(rowSeparator)}`;
}

export function parseRows(text: string): EventRowIn[] {
  const headEnd = text.indexOf("\n");
  const { tickets, users } = JSON.parse(text.slice(0, headEnd)) as Head;
  const lines = JSON.parse(`[${text.slice(headEnd + 1)}]`) as Line[];
  if (users.length !== lines.length) throw new DamagedBlob("A segment of rows lacks some.");
  return lines.map(([timeMs, name, sessionId, country, properties], i) => ({
    ticket: typeof tickets === "number" ? tickets + i : tickets[i],
    timeMs,
    name,
    user: users[i],
    sessionId,
    country,
    properties,
  }));
}

import { DamagedBlob } from "../../damage";
import { rowSeparator } from "../../shared/event-line";
import {
  openBrace,
  openBracket,
  parseString,
  quote,
  stringEnd,
  valueEnd,
} from "../../shared/json-text";

/**
 * The parts of the text of a segment of rows. The first line has the tickets and user numbers, which the writer adds.
 * Then follows one line for each event, as the thread that handled the request wrote it. The writer joins these lines
 * without parsing them.
 */
export interface RowTexts {
  /** A single number is the first of consecutive tickets. */
  readonly tickets: number | readonly number[];
  /** The user number of each event; 0 = none. */
  readonly users: readonly number[];
  readonly lines: readonly string[];
}
type Head = Pick<RowTexts, "tickets" | "users">;

/** Returns the place of the bracket that closes the line around `at`. Properties end before it. */
export function lastOfLine(text: string, at: number): number {
  const feed = text.indexOf("\n", at);
  return feed < 0 ? text.length - 1 : feed - rowSeparator.length;
}

export function joinRows({ tickets, users, lines }: RowTexts): string {
  return `${JSON.stringify({ tickets, users } satisfies Head)}\n${lines.join(rowSeparator)}`;
}

/** Receives the events of `readRows`. Name and country are JSON texts, which can be compared without parsing. */
export interface RowSink {
  add(
    ticket: number,
    timeMs: number,
    user: number,
    name: string,
    sessionId: string | null,
    country: string | null,
  ): void;
  /** Adds the properties of the last event, an object that begins at `at`, and returns its end. */
  addProperties(text: string, at: number): number;
}

export function readRows(text: string, sink: RowSink): void {
  const headEnd = text.indexOf("\n");
  const { tickets, users } = JSON.parse(text.slice(0, headEnd)) as Head;
  let at = headEnd + 1;
  for (let i = 0; i < users.length; i++) {
    if (text.charCodeAt(at) !== openBracket) throw new DamagedBlob("A segment of rows lacks some.");
    const timeEnd = text.indexOf(",", at);
    const nameEnd = stringEnd(text, timeEnd + 1);
    const sessionEnd = valueEnd(text, nameEnd + 1);
    const countryEnd = valueEnd(text, sessionEnd + 1);
    sink.add(
      typeof tickets === "number" ? tickets + i : tickets[i],
      Number(text.slice(at + 1, timeEnd)),
      users[i],
      text.slice(timeEnd + 1, nameEnd),
      stringOf(text, nameEnd + 1, sessionEnd),
      text.charCodeAt(sessionEnd + 1) === quote ? text.slice(sessionEnd + 1, countryEnd) : null,
    );
    const propertiesAt = countryEnd + 1;
    const end =
      text.charCodeAt(propertiesAt) === openBrace
        ? sink.addProperties(text, propertiesAt)
        : valueEnd(text, propertiesAt);
    at = end + 1 + rowSeparator.length;
  }
}

const stringOf = (text: string, from: number, to: number): string | null =>
  text.charCodeAt(from) === quote ? parseString(text.slice(from, to)) : null;

/** Returns the times of the events in a segment of rows, without parsing the rest of the lines. */
export function timesOfRows(text: string): number[] {
  const times: number[] = [];
  for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", end + 1)) {
    times.push(Number(text.slice(end + 2, text.indexOf(",", end))));
  }
  return times;
}

/** Returns the lines of a segment of rows, for callers that need only some. */
export const linesOf = (text: string): string[] =>
  text.slice(text.indexOf("\n") + 1).split(rowSeparator);

/** Returns the properties of a line as JSON text; null if it has none. */
export function propertiesOfLine(line: string): string | null {
  let at = 1;
  for (let field = 0; field < 4; field++) at = valueEnd(line, at) + 1;
  return line.charCodeAt(at) === openBrace ? line.slice(at, -1) : null;
}

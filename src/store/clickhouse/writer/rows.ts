import { hostOf } from "../../../domain/sources/referrer";
import {
  membersOf,
  openBrace,
  parseString,
  quote,
  stringEnd,
  valueEnd,
} from "../../shared/json-text";
import type { RowBinary } from "../row-binary";

const jsonMark = 0xff;

/** An event as a row of the table, which is made from the event's line. */
export interface EventToStore {
  readonly project: number;
  readonly ticket: number;
  readonly sender: Uint8Array;
  readonly key: bigint;
  readonly line: string;
}

/** Adds the event to the rows of its month. */
export function addEvent(
  rows: RowBinary,
  { project, ticket, sender, key, line }: EventToStore,
): void {
  const timeEnd = line.indexOf(",");
  const nameEnd = stringEnd(line, timeEnd + 1);
  const sessionEnd = valueEnd(line, nameEnd + 1);
  const countryEnd = valueEnd(line, sessionEnd + 1);
  const members = membersIn(line, countryEnd + 1);
  const textOf = (wanted: string): string => {
    const found = members?.find(([name]) => name === wanted)?.[1] ?? "";
    return found.charCodeAt(0) === quote ? parseString(found) : "";
  };
  rows
    .int64(project)
    .int64(Number(line.slice(1, timeEnd)))
    .int64(ticket);
  rows.text(parseString(line.slice(timeEnd + 1, nameEnd))).raw(sender);
  rows
    .text(orEmpty(line.slice(nameEnd + 1, sessionEnd)))
    .text(orEmpty(line.slice(sessionEnd + 1, countryEnd)));
  rows
    .text(textOf("path"))
    .text(textOf("url"))
    .text(hostOf(textOf("referrer")) ?? "");
  rows.uint8(members === null ? 0 : 1).length(members?.length ?? 0);
  for (const [name, value] of members ?? []) addValue(rows.text(name), value);
  rows.big(key);
}

const orEmpty = (json: string): string => (json.charCodeAt(0) === quote ? parseString(json) : "");

/** Returns null when the event has no properties. */
function membersIn(line: string, at: number): (readonly [name: string, value: string])[] | null {
  if (line.charCodeAt(at) !== openBrace) return null;
  return membersOf(line.slice(at, -1)).map(([key, value]) => [parseString(key), value]);
}

/** Writes a text as it is, and an empty text or any other value as JSON behind a byte that no text has. */
function addValue(rows: RowBinary, json: string): void {
  if (json.charCodeAt(0) === quote && json.length > 2) rows.text(parseString(json));
  else rows.marked(jsonMark, json);
}

import type { Database, Statement } from "bun:sqlite";
import type { TrustField } from "../../../domain/trust/fields";
import {
  comma,
  membersOf,
  openBrace,
  openBracket,
  quote,
  stringsIn,
  valueEnd,
} from "../../shared/json-text";
import { unpackText } from "./codec";
import { rowsColumn } from "./encode";
import { overflowColumn } from "./overflow";
import { readRows } from "./rows";
import { sessionIdColumn } from "./segment";

/** A text that a visitor may have written, as JSON, and its place. */
export interface VisitorText {
  readonly field: TrustField;
  /** The key of a property or trait; empty for other fields. */
  readonly key: string;
  readonly json: string;
}
type See = (text: VisitorText) => void;

const storedTexts = `
  select name, dictionary from segment_column
  where segment_id = ? and dictionary is not null order by name`;
const propertyPrefix = "property.";

/** After this number of rows other work has its turn. */
const rowsPerPause = 256;

/**
 * Finds the texts of visitors in a segment. It reads the stored dictionaries without decoding columns, so it passes
 * each text of a column once. A segment may have a million texts, so the search pauses now and then.
 */
export class VisitorTexts {
  private readonly stored: Statement;

  constructor(db: Database) {
    this.stored = db.prepare(storedTexts);
  }

  /** The segment must exist until the last text. The sweep deletes replaced segments only after a minute. */
  *of(segmentId: number, see: See): Generator<void> {
    for (const [name, blob] of this.stored.values(segmentId) as [string, Uint8Array][]) {
      const text = (): string => unpackText(blob);
      if (name === rowsColumn) yield* inRows(text(), see);
      else if (name === overflowColumn) yield* inOverflow(text(), see);
      else if (name === "event.name") yield* inList(text(), "event", "", see);
      else if (name === sessionIdColumn) yield* inList(text(), "session_id", "", see);
      else if (name.startsWith(propertyPrefix)) {
        const key = name.slice(propertyPrefix.length);
        see({ field: "property_key", key: "", json: JSON.stringify(key) });
        yield* inList(text(), "properties", key, see);
      }
    }
  }
}

/** Calls `see` for each text in an object of traits. */
export function textsInTraits(traits: string, see: See): void {
  for (const [key, value] of membersOf(traits)) {
    see({ field: "property_key", key: "", json: key });
    inValue(value, "traits", JSON.parse(key), see);
  }
}

function* inRows(text: string, see: See): Generator<void> {
  let rows = 0;
  const lines: [name: string, session: string | null, properties: string | null][] = [];
  readRows(text, {
    add: (_ticket, _time, _user, name, session) => {
      lines.push([name, session, null]);
    },
    addProperties: (all, at) => {
      const end = valueEnd(all, at);
      const last = lines[lines.length - 1];
      if (last !== undefined) last[2] = all.slice(at, end);
      return end;
    },
  });
  for (const [name, session, properties] of lines) {
    see({ field: "event", key: "", json: name });
    if (session !== null) see({ field: "session_id", key: "", json: JSON.stringify(session) });
    if (properties !== null) inProperties(properties, see);
    if (++rows % rowsPerPause === 0) yield;
  }
}

function* inOverflow(text: string, see: See): Generator<void> {
  let rows = 0;
  for (const line of text.split("\n")) {
    inProperties(line, see);
    if (++rows % rowsPerPause === 0) yield;
  }
}

function* inList(list: string, field: TrustField, key: string, see: See): Generator<void> {
  let values = 0;
  for (let at = 1; at < list.length - 1; ) {
    const end = valueEnd(list, at);
    inValue(list.slice(at, end), field, key, see);
    at = list.charCodeAt(end) === comma ? end + 1 : list.length;
    if (++values % rowsPerPause === 0) yield;
  }
}

function inProperties(properties: string, see: See): void {
  for (const [key, value] of membersOf(properties)) {
    see({ field: "property_key", key: "", json: key });
    inValue(value, "properties", JSON.parse(key), see);
  }
}

/** Calls `see` for a text, or for the texts and keys in a list or an object. Other values have none. */
function inValue(value: string, field: TrustField, key: string, see: See): void {
  const first = value.charCodeAt(0);
  if (first === quote) see({ field, key, json: value });
  else if (first === openBrace || first === openBracket) {
    for (const json of stringsIn(value)) see({ field, key, json });
  }
}

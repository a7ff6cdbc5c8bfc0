import { isObject } from "../http/operation/input";
import { inertText } from "../lib/inert-text";
import { fittingAnswer } from "./fit";
import { type Labels, labelsOf } from "./labels";
import type { Shaped } from "./shape";
import { type Table, type Taken, takeRows } from "./taken";
import { rowsSkippedMax } from "./tool-schema";
import type { Arguments } from "./tools";

/** The length of a result as JSON, which an agent can read without losing sight of its work. */
const resultCharsMax = 32_768;
/** The characters that a large answer leaves to rows, where it has any. */
const rowsCharsMin = 4_096;
/** What stands around the answer and the rows: notes, and the call that goes on. */
const frameCharsMax = 1_024;

type Fields = Readonly<Record<string, unknown>>;

interface Cut {
  readonly shown: number;
  readonly total: number;
}

/** `structuredContent` of a tool that has answered. */
export interface Result extends Fields {
  readonly answer: Fields;
  readonly tables: Readonly<Record<string, Table>>;
  readonly untrusted: readonly string[];
  readonly notes: readonly string[];
  /** Percent-encoded addresses in the tables, as people read them. */
  readonly labels?: Labels;
  readonly cut?: Readonly<Record<string, Cut>>;
  readonly next?: Next;
}

interface Next {
  readonly tool: string;
  readonly arguments: Arguments;
}

/** A call of a tool. */
export interface ToolCall {
  readonly tool: string;
  /** The arguments with their texts as they are stored, restored from the inert form. */
  readonly args: Arguments;
  readonly maxRows: number;
  readonly afterRow: number;
  /** The `limit` that the operation has used, where it has one. */
  readonly limit?: number;
  /** Additional sentences of the result. They contain only the server's own words, never a visitor's. */
  readonly notes?: readonly string[];
}

/** An answer within its bounds. */
export function resultOf(whole: Shaped, asked: ToolCall): Result {
  const hasRows = [...whole.tables.values()].some(({ length }) => length > 0);
  const room = resultCharsMax - frameCharsMax - (hasRows ? rowsCharsMin : 0);
  const shaped = { ...whole, answer: fittingAnswer(whole.answer, room) };
  const isShort = shaped.answer !== whole.answer;
  const notes = [...(asked.notes ?? []), ...(isShort ? [shortAnswerNote] : [])];
  /** Takes the rows for which a result has room that is this one but for its rows. */
  const filled = (frame: Result): Result => {
    // Labels are counted with their cells.
    const untrusted = [...shaped.untrusted, "labels"];
    const chars = JSON.stringify({ ...frame, tables: {}, labels: {}, untrusted }).length;
    const { maxRows: rowsMax, afterRow: rowsSkipped } = asked;
    const bounds = { rowsMax, rowsSkipped, charsMax: resultCharsMax - chars };
    const made = within(shaped, asked, takeRows(shaped.tables, bounds));
    return { ...made, notes: [...made.notes, ...notes] };
  };
  const { answer, untrusted } = shaped;
  const all = filled({ answer, tables: {}, untrusted, notes: [...notesOf(answer, {}), ...notes] });
  // Where rows are left out, the result says so, in characters of its own.
  const isCut = all.cut !== undefined || all.next !== undefined;
  return isCut && JSON.stringify(all).length > resultCharsMax ? filled(all) : all;
}

function within({ answer, tables, untrusted }: Shaped, asked: ToolCall, taken: Taken): Result {
  const cut: Record<string, Cut> = {};
  for (const [name, { length: total }] of tables) {
    const shown = taken.tables.get(name)?.rows.length ?? 0;
    if ((taken.reached.get(name) ?? 0) < total) cut[name] = { shown, total };
  }
  const isCut = Object.keys(cut).length > 0;
  const labels = labelsOf(taken.tables.values());
  const hasLabels = Object.keys(labels).length > 0;
  const hasSeveral = [...tables.values()].filter(({ length }) => length > 0).length > 1;
  const next = nextOf(answer, asked, { isCut, hasSeveral, rows: taken.rows });
  return {
    answer,
    tables: Object.fromEntries(taken.tables),
    untrusted: [...new Set([...untrusted, ...taken.untrusted, ...(hasLabels ? ["labels"] : [])])],
    notes: [
      ...notesOf(answer, { isCut, hasNext: next !== null }),
      ...(taken.isWhole ? [] : [shortRowNote]),
    ],
    ...(hasLabels && { labels }),
    ...(isCut && { cut }),
    ...(next !== null && { next }),
  };
}

interface Shown {
  readonly isCut: boolean;
  readonly hasSeveral: boolean;
  readonly rows: number;
}

/** The call that goes on where this one ended; null when there is nothing more. */
function nextOf(answer: Fields, asked: ToolCall, { isCut, hasSeveral, rows }: Shown): Next | null {
  const { tool, args, afterRow, limit } = asked;
  // Filters may be as long as a body: then the caller knows better than we what to send.
  if (JSON.stringify(args).length > repeatedCharsMax) return null;
  const goOn = (same: Arguments): Next | null => {
    const after = afterRow + rows;
    if (rows === 0 || after > rowsSkippedMax) return null;
    return { tool, arguments: { ...sentAgain(same), after_row: after } };
  };
  // With another limit the rows of several tables would come in another order.
  if (isCut)
    return goOn(hasSeveral && limit !== undefined ? changedArguments(args, { limit }) : args);
  if (typeof answer.next_cursor === "string") {
    const { after_row: _, ...same } = args;
    const { next_cursor: cursor } = answer;
    return { tool, arguments: sentAgain(changedArguments(same, { cursor })) };
  }
  // The operation itself has cut its list, by a limit that nobody asked for.
  const isCutByDefault = answer.truncated === true && (ofOperation(args).limit ?? null) === null;
  return isCutByDefault && !hasSeveral ? goOn(args) : null;
}

/** The fields of the operation: where it is named by its id, they stand in an object of their own. */
export const ofOperation = (args: Arguments): Arguments =>
  "operation" in args ? (isObject(args.arguments) ? args.arguments : {}) : args;

/** The same call with other fields of its operation. */
export const changedArguments = (args: Arguments, changed: Arguments): Arguments =>
  "operation" in args
    ? { ...args, arguments: { ...ofOperation(args), ...changed } }
    : { ...args, ...changed };

/** The length of arguments that are told again. */
export const repeatedCharsMax = 8_192;

/** Returns the arguments of a caller in a form that is safe to show and can be sent again. */
export const sentAgain = (args: Arguments): Arguments =>
  Object.fromEntries(Object.entries(args).map(([name, value]) => [name, inert(value)]));

function inert(value: unknown): unknown {
  if (typeof value === "string") return inertText(value);
  if (Array.isArray(value)) return value.map(inert);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [inertText(key), inert(part)]),
  );
}

function notesOf(
  answer: Fields,
  { isCut = false, hasNext = false }: { readonly isCut?: boolean; readonly hasNext?: boolean },
): readonly string[] {
  return [
    ...(isCut ? [hasNext ? cutNote : lastNote] : []),
    ...(isCut || answer.truncated !== true ? [] : [truncatedNote]),
    ...(Array.isArray(answer.warnings) && answer.warnings.length > 0 ? [warnedNote] : []),
  ];
}

const warnedNote =
  "See answer.warnings: the request may contain a mistake, or the numbers may be incomplete.";
const cutNote = "Rows were left out. `cut` counts them; `next` is the call for the rest.";
const lastNote =
  "Rows were left out that after_row cannot reach. Use a shorter window, or filters.";
const truncatedNote = "The limit left out some groups.";

const shortAnswerNote =
  "Parts of `answer` were left out because they are too large for a tool. Read them over HTTP.";
const shortRowNote =
  "Some columns were left out because the row is too large for a tool. Read them over HTTP.";

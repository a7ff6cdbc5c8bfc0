import { isObject } from "../http/operation/input";
import { inertText } from "../lib/inert-text";
import { fittingAnswer } from "./fit";
import type { Row, Shaped } from "./shape";
import { rowsSkippedMax } from "./tool-schema";
import type { Arguments } from "./tools";

/** The length of a result as JSON, which an agent can read without losing sight of its work. */
const resultCharsMax = 32_768;

type Fields = Readonly<Record<string, unknown>>;

interface Cut {
  readonly shown: number;
  readonly total: number;
}

/** `structuredContent` of a tool that has answered. */
export interface Result extends Fields {
  readonly answer: Fields;
  readonly tables: Readonly<Record<string, { columns: readonly string[]; rows: unknown[][] }>>;
  readonly untrusted: readonly string[];
  readonly notes: readonly string[];
  readonly cut?: Readonly<Record<string, Cut>>;
  readonly next?: Next;
}

interface Next {
  readonly tool: string;
  readonly arguments: Arguments;
}

/** A call of a tool. */
export interface Asked {
  readonly tool: string;
  /** The arguments with their texts as they are stored, restored from the inert form. */
  readonly args: Arguments;
  readonly maxRows: number;
  readonly afterRow: number;
}

/** An answer within its bounds: rows go from the longest table until all of it fits. */
export function resultOf(shaped: Shaped, asked: Asked): Result {
  const left = new Map(
    [...shaped.tables].map(([name, rows]) => [name, rows.slice(asked.afterRow)] as const),
  );
  const lengths = [...left.values()].map(({ length }) => length);
  const make = (rowsMax: number): Result => {
    const lengthMax = longestFor(lengths, rowsMax);
    const spare = rowsMax - sum(lengths.map((length) => Math.min(length, lengthMax)));
    return within(shaped, asked, shownRows(left, lengthMax, spare));
  };
  const fits = (result: Result): boolean => JSON.stringify(result).length <= resultCharsMax;
  const rowsMax = Math.min(asked.maxRows, sum(lengths));
  const whole = make(rowsMax);
  if (fits(whole)) return whole;
  // The greatest number of rows that fits.
  let [low, high] = [0, rowsMax];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (fits(make(middle))) low = middle;
    else high = middle;
  }
  const most = make(low);
  return fits(most) ? most : withShortAnswer(most);
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);

/** The greatest length such that tables cut to it have at most that number of rows together. */
function longestFor(lengths: readonly number[], rowsMax: number): number {
  let length = Math.max(0, ...lengths);
  while (sum(lengths.map((one) => Math.min(one, length))) > rowsMax) length -= 1;
  return length;
}

/** The first tables that are cut get one row more while there is room. */
function shownRows(
  tables: ReadonlyMap<string, readonly Row[]>,
  lengthMax: number,
  spare: number,
): ReadonlyMap<string, readonly Row[]> {
  let more = spare;
  return new Map(
    [...tables].map(([name, rows]) => {
      const isCut = rows.length > lengthMax && more > 0;
      if (isCut) more -= 1;
      return [name, rows.slice(0, lengthMax + (isCut ? 1 : 0))];
    }),
  );
}

function within(
  { answer, tables, untrusted }: Shaped,
  asked: Asked,
  shown: ReadonlyMap<string, readonly Row[]>,
): Result {
  const cut: Record<string, Cut> = {};
  for (const [name, rows] of tables) {
    const count = shown.get(name)?.length ?? 0;
    const isCut = asked.afterRow + count < rows.length;
    if (isCut) cut[name] = { shown: count, total: rows.length };
  }
  const isCut = Object.keys(cut).length > 0;
  const next = nextOf(answer, asked, cut, shown);
  return {
    answer,
    tables: Object.fromEntries([...shown].map(([name, rows]) => [name, tableOf(rows)])),
    untrusted,
    notes: notesOf(answer, isCut, next !== null),
    ...(isCut && { cut }),
    ...(next !== null && { next }),
  };
}

/** Columns in the order in which rows have them; one without any value is left out. */
function tableOf(rows: readonly Row[]) {
  const columns = new Set<string>();
  for (const row of rows) {
    for (const [column, value] of row) if (value !== null) columns.add(column);
  }
  const names = [...columns];
  return {
    columns: names,
    rows: rows.map((row) => names.map((column) => row.get(column) ?? null)),
  };
}

/** The call that goes on where this one ended; null when there is nothing more. */
function nextOf(
  answer: Fields,
  { tool, args, afterRow }: Asked,
  cut: Readonly<Record<string, Cut>>,
  shown: ReadonlyMap<string, readonly Row[]>,
): Next | null {
  const counts = Object.values(cut).map((one) => one.shown);
  // Filters may be as long as a body: then the caller knows better than we what to send.
  const isLong = JSON.stringify(args).length > repeatedCharsMax;
  const goOn = (more: number): Next | null => {
    const after = afterRow + more;
    if (more === 0 || after > rowsSkippedMax || isLong) return null;
    return { tool, arguments: { ...sentAgain(args), after_row: after } };
  };
  if (counts.length > 0) return goOn(Math.min(...counts));
  if (typeof answer.next_cursor === "string" && !isLong) {
    const { after_row: _, ...same } = args;
    const { next_cursor: cursor } = answer;
    return { tool, arguments: sentAgain(changedArguments(same, { cursor })) };
  }
  // The operation itself has cut its list, by a limit that nobody asked for.
  const isCutByDefault = answer.truncated === true && (ofOperation(args).limit ?? null) === null;
  return isCutByDefault
    ? goOn(Math.max(0, ...[...shown.values()].map(({ length }) => length)))
    : null;
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

function notesOf(answer: Fields, isCut: boolean, hasNext: boolean): readonly string[] {
  return [
    ...(isCut ? [hasNext ? cutNote : lastNote] : []),
    ...(isCut || answer.truncated !== true ? [] : [truncatedNote]),
    ...(Array.isArray(answer.warnings) && answer.warnings.length > 0 ? [warnedNote] : []),
  ];
}

const warnedNote = "answer.warnings says what is likely to be wrong with the question.";
const cutNote = "Rows were left out: `cut` counts them, `next` is the call that goes on.";
const lastNote =
  "Rows were left out and cannot be reached by after_row: ask for a smaller window, or under filters.";
const truncatedNote = "The operation's own limit left out some of the groups.";

/** Shortens a result whose answer is too large by itself, such as a person's traits. */
function withShortAnswer(result: Result): Result {
  const note =
    "Parts of `answer` were left out: they are too large for a tool. The operation has them over HTTP.";
  const rest = { ...result, answer: {}, notes: [...result.notes, note] };
  const room = resultCharsMax - JSON.stringify(rest).length;
  return { ...rest, answer: fittingAnswer(result.answer, room) };
}

/*
 * CSV is a form of an answer.
 * Decision: an operation names the table in its answer (`table`), and `http/operation/csv-form.ts` does the rest:
 * `format`, `Accept`, headers, and text without what is hidden. `format` is a term of the request, so questions,
 * cursors and calls of operations do not know it; who asks for CSV where there is no table gets JSON by `Accept`, and
 * a refusal by `format`.
 * Because: reads stay as they are, and every CSV is its JSON answer, which a test compares row by row.
 * Cost: the answer is parsed again, 10 to 40 ms per million characters, in pieces between which others are served.
 * Revisit: when a page may have more than a thousand events.
 */

import Type from "typebox";
import { invalidField } from "../../domain/errors";
import { flaggedIn } from "../../domain/trust/mask";
import { csvLines, type Table } from "../../lib/csv";
import { didYouMean, nearest } from "../../lib/nearest";
import { likesBetterThanJson } from "../edge/accept";
import { Reply, replyOf } from "../edge/reply";
import { type DataLog, flaggedHeader } from "./data-read";
import { type OperationName, splitName } from "./facts";
import type { OperationDoc } from "./operation-doc";
import type { TableForm } from "./table";

export const csvType = "text/csv";
const forms = ["json", "csv"] as const;
export const Format = Type.Enum([...forms], {
  description:
    "csv returns only the rows, like `Accept: text/csv`. Default: the preference of `Accept`, else json.",
});

/** The fields of a request that choose the form of its answer. */
export interface FormTerms {
  readonly format: unknown;
  readonly headers: Headers;
  readonly data: DataLog;
}

/**
 * A part of the step "other fields": what brings an answer to this input into the form that was asked for. Throws
 * MISSING_FIELDS.
 */
export function inFormAsked<Input, Answer>(
  name: OperationName,
  form: TableForm<Input, Answer> | undefined,
  terms: FormTerms | undefined,
  input: Input,
): (answer: unknown) => unknown {
  if (form === undefined || terms === undefined || !wantsCsv(terms)) return (answer) => answer;
  form.refuse?.(input);
  const { data } = terms;
  if (data.wantsReceipt)
    throw invalidField("receipt", '"receipt" only works with JSON. Leave it out, or request JSON.');
  return async (answer) => {
    const reply = replyOf(await answer, 200);
    return csvReply(name, form, reply, data.last?.facts.flagged ?? []);
  };
}

function wantsCsv({ format, headers }: FormTerms): boolean {
  if (format === undefined) return likesBetterThanJson(csvType, headers);
  if (forms.some((form) => form === format)) return format === "csv";
  const hint = didYouMean(nearest(String(format), forms));
  throw invalidField("format", `"format" must be one of ${forms.join(", ")}.${hint}`, forms);
}

/** The table of an answer. What that says of its rows is in headers, where no text of visitors may stand. */
async function csvReply<Answer>(
  name: OperationName,
  form: Pick<TableForm<never, Answer>, "of">,
  { status, json, headers }: Reply<unknown>,
  flagged: readonly string[],
): Promise<Reply<unknown>> {
  const answer: Answer & AboutRows = JSON.parse(json);
  const table = form.of(answer);
  // Counted of the whole answer, of which the rows are a part.
  const { "x-flagged-values": _, ...kept } = headers;
  return new Reply(status, await writtenInTurns(table), {
    ...kept,
    ...(flagged.length > 0 && flaggedHeader(flaggedIn(shownJson(table), flagged))),
    ...headersOf(answer),
    "content-type": `${csvType}; charset=utf-8`,
    "content-disposition": `attachment; filename="${fileNameOf(name)}"`,
  });
}

const fileNameOf = (name: OperationName): string =>
  `${splitName(name).path.slice(1).replaceAll("/", "-")}.csv`;

/** The texts of a table alone: a row may have fields that are no columns. */
const shownJson = ({ columns, rows }: Table): string =>
  JSON.stringify([columns, rows.map((row) => columns.map((name) => row[name]))]);

/**
 * The number of characters after which other requests have their turn: to escape megabytes of hidden characters takes
 * half a second.
 */
const pieceChars = 64 * 1024;

async function writtenInTurns(table: Table): Promise<string> {
  const pieces: string[] = [];
  let piece = "";
  for (const line of csvLines(table)) {
    piece += line;
    if (piece.length < pieceChars) continue;
    pieces.push(piece);
    piece = "";
    await new Promise(setImmediate);
  }
  return [...pieces, piece].join("");
}

/** The fields that any of these answers may have beside its rows. */
interface AboutRows {
  readonly truncated?: boolean;
  readonly groups_total?: number;
  readonly next_cursor?: string | null;
  readonly warnings?: readonly object[];
}

function headersOf(answer: AboutRows): Readonly<Record<string, string>> {
  const { truncated = false, groups_total: total, next_cursor: cursor, warnings } = answer;
  return {
    ...(truncated && { "x-truncated": "true" }),
    ...(total !== undefined && { "x-groups-total": String(total) }),
    ...(typeof cursor === "string" && { "x-next-cursor": cursor }),
    ...(warnings !== undefined && { "x-warnings": String(warnings.length) }),
  };
}

/** The CSV of an operation's example, which the OpenAPI document asks for: no start waits until it is made. */
export const shownCsv = <Answer>(
  form: Pick<TableForm<never, Answer>, "of">,
  doc: OperationDoc,
): { readonly example: string | undefined } => ({
  get example() {
    return exampleOf(form, doc);
  },
});

function exampleOf<Answer>(
  form: Pick<TableForm<never, Answer>, "of">,
  { example }: OperationDoc,
): string | undefined {
  if (example === undefined) return undefined;
  const answer: Answer = JSON.parse(JSON.stringify(example.answer));
  return [...csvLines(form.of(answer))].join("");
}

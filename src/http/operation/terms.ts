import Type from "typebox";
import { invalidField } from "../../domain/errors";
import { Format } from "./csv-form";
import type { Node } from "./input";

/**
 * The fields of a request that choose the form of its answer: cursors do not depend on them, and a call of an
 * operation, which is no request, has none.
 */

const Receipt = Type.Boolean({
  description: "true adds `receipt`: the data behind the answer, and a request that reproduces it.",
});

/** The forms of an operation's answer: a table for CSV, a receipt of what it read. */
interface Forms {
  readonly hasTable: boolean;
  readonly hasReceipt: boolean;
}

const termsOf = ({ hasTable, hasReceipt }: Forms): Readonly<Record<string, Node>> => ({
  ...(hasTable && { format: Format }),
  ...(hasReceipt && { receipt: Receipt }),
});

/** The fields of an operation, with the terms that it knows. */
export const withTerms = (takes: Node, forms: Forms): Node => ({
  ...takes,
  properties: { ...takes.properties, ...termsOf(forms) },
});

/** The terms in the query string of an operation that takes its fields from a body. */
export const termsOnly = (forms: Forms): Node => ({ properties: termsOf(forms) });

export function wantsReceipt(receipt: unknown): boolean {
  if (receipt === undefined || typeof receipt === "boolean") return receipt === true;
  throw invalidField("receipt", '"receipt" must be true or false.');
}

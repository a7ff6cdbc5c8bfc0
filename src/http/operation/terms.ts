import Type from "typebox";
import { invalidField } from "../../domain/errors";
import { Format } from "./csv-form";
import type { Node } from "./input";

/**
 * What a request says of the form of its answer, beside its question: cursors do not depend on it, and a call of an
 * operation, which is no request, has no such fields.
 */

const Receipt = Type.Boolean({
  description:
    "true adds `receipt`: of which data the answer is, and the request that gives it again.",
});

/** What an operation has: a table for CSV, a receipt of what it read. */
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

/** What may stand in the query string of one that takes its fields from a body: the same terms. */
export const termsOnly = (forms: Forms): Node => ({ properties: termsOf(forms) });

export function wantsReceipt(receipt: unknown): boolean {
  if (receipt === undefined || typeof receipt === "boolean") return receipt === true;
  throw invalidField("receipt", '"receipt" must be true or false.');
}

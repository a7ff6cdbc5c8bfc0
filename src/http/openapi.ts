import type { TSchema } from "typebox";
import { type Operation, type OperationName, operations } from "./operations";

/** What an agent needs to know of an operation besides its schemas. */
export interface OperationDoc {
  /** The operationId. */
  readonly id: string;
  readonly summary: string;
  /** What it answers, when to use it, and what to do next. */
  readonly description: string;
  readonly tag: string;
}
export function describeOperation(
  name: OperationName,
  definition: { doc: OperationDoc; takes: TSchema; returns: Readonly<Record<number, TSchema>> },
) {
  const operation: Operation = operations[name];
  return {
    operationId: definition.doc.id,
    summary: definition.doc.summary,
    description: definition.doc.description,
    tags: [definition.doc.tag],
  };
}

import { invalidField } from "../../domain/errors";
import type { Table } from "../../lib/csv";
import type { Node } from "./input";

/**
 * Answers of which the rows can be had as CSV. That is a term of a request, like what it accepts, and no part of its
 * question: cursors do not depend on it, and a call of an operation, which is no request, has no such field.
 */
export interface TableForm<Input, Answer> {
  /** Throws where the answer to this input is not one table. */
  refuse?(input: Input): void;
  of(answer: Answer): Table;
}

/** Words of a refusal by an answer with several tables. */
export const severalTables = (field: string, instead: string) =>
  invalidField(field, `A CSV response holds a single table: ${instead}, or request JSON.`);

/** Rows of one schema. Fields that it calls optional are columns where a row has them. */
export function tableOf({ properties = {}, required = [] }: Node, rows: Table["rows"]): Table {
  const columns = Object.keys(properties).filter(
    (name) => required.includes(name) || rows.some((row) => row[name] !== undefined),
  );
  return { columns, rows };
}

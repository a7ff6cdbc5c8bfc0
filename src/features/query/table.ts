import { severalTables, type TableForm } from "../../http/operation/table";
import { assert } from "../../lib/assert";
import type { QueryRequest, QueryResponse } from "./schema";

/** The rows of one question: groups, metrics, and what else the answer puts into them. */
export const queryTable: TableForm<QueryRequest, QueryResponse> = {
  refuse({ queries }) {
    if (queries !== undefined) throw severalTables("queries", "send each query separately");
  },
  of(answer) {
    assert("rows" in answer, "several questions are refused");
    const { rows } = answer;
    const asked = "metrics" in answer ? [...answer.group_by, ...answer.metrics] : [];
    const names = new Set([...asked, ...rows.flatMap((row) => Object.keys(row))]);
    return { columns: [...names], rows };
  },
};

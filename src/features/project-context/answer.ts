import type { RequestHead } from "../../http/operation/operation";
import type { StoredContext } from "../../store/control/contexts";
import type { Project } from "../../store/control/project-selector";

/** A project's context as it is answered to who reads or writes it: whole, and with the time of its last writing. */
export const answerOf = ({ id, name }: Project, { context, updatedAtMs }: StoredContext) => ({
  project: name,
  project_id: id,
  project_context: { ...context, updated_at: updatedAtMs },
});

/** The value of `updated_at` that a writer has seen, with or without the quotes of an entity tag. */
export const ifMatchOf = ({ headers }: RequestHead): string | undefined =>
  headers.get("if-match")?.replace(/^"(.*)"$/, "$1");

/** The header of a write that expects what its writer has read. */
export const ifMatchHeaders = {
  "If-Match":
    "The `project_context.updated_at` that you read, `null` before the first write. If the context has " +
    "changed since, the write fails with `CONTEXT_CHANGED`. Without it, the write always replaces the " +
    "context.",
} as const;

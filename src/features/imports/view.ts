import type { Deps } from "../../http/deps";
import type { ImportRow } from "../../store/control/import-tables";
import type { Import } from "./schema";

/** An import as the API shows it. */
export function viewOf({ imports, control }: Deps, row: ImportRow): Import {
  const { id, projectId, kind, name, state, size, received, report, error } = row;
  return {
    id,
    project: control.projects.byId(projectId)?.name ?? "",
    ...{ kind, name, state, size, received },
    progress: imports.progressOf(row),
    ...(report !== null && { report: JSON.parse(report) }),
    ...(error !== null && { error: JSON.parse(error) }),
    created_at: row.createdAtMs,
    committed_at: row.committedAtMs,
  };
}

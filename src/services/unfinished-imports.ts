import type { Control } from "../store/control/control";
import { ImportFiles } from "../store/import-files";
import { busy } from "./import-refusals";

/** Drops the uploads of a project that are not stored yet. Throws IMPORT_BUSY while one is checked or stored. */
export function dropUploads(control: Control, dataDir: string, projectId: string): void {
  const rows = control.imports.ofProject(projectId).filter(({ state }) => state !== "done");
  if (rows.some(({ state }) => state === "committing" || state === "checking")) {
    throw busy("An import of this project is being checked or stored.");
  }
  const files = new ImportFiles(dataDir);
  for (const { id } of rows) {
    control.imports.drop(id);
    files.remove(id);
  }
}

import { isoDate } from "../../domain/event";
import type { Deps } from "../../http/deps";
import type { Feature } from "../../http/feature";
import { accountOperation } from "../../http/operation/account-operation";
import { free } from "../../http/operation/facts";
import { nothing } from "../../http/operation/input";
import { archivedFilesOf } from "../../store/control/archived-files";
import { findProjectByPath } from "../../store/control/project-selector";
import { archiveExample } from "./examples";
import { ArchivedFiles } from "./schema";

/** The files that old events went to before they were deleted. */
export const archiveFeature = (deps: Deps): Feature => ({
  operations: [
    accountOperation("GET /projects/{id}/archive", {
      access: free("projects:read"),
      doc: {
        id: "getArchive",
        summary: "List the archived dates of a project",
        description:
          "The files that retention wrote before it deleted the events of a date. They are in ARCHIVE_DIR, or in " +
          "`archive/` where backups go, as `<project id>/<date>.jsonl.zst`: JSON lines of GET /export, packed, " +
          "and encrypted where backups are.",
        tag: "Projects",
        example: archiveExample,
        errors: ["NOT_FOUND"],
      },
      takes: nothing,
      returns: { 200: ArchivedFiles },
      handle: ({ caller, params }) => {
        const { id } = findProjectByPath(deps, caller, params.id ?? "");
        const files = archivedFilesOf(deps.control, id);
        return {
          project_id: id,
          files: files.map(({ day, events, bytes, sha256 }) => ({
            ...{ date: isoDate(day), events, bytes, sha256 },
          })),
        };
      },
    }),
  ],
});

import { type Caller, isReadable } from "../../domain/caller";
import { ApiError } from "../../domain/errors";
import { givenName } from "../../domain/given-name";
import { importBytesMax, importPartBytesMax } from "../../domain/import";
import { timeZoneDefault, timeZoneNameOf } from "../../domain/time-zone-name";
import type { Deps } from "../../http/deps";
import { reply } from "../../http/edge/reply";
import type { Feature } from "../../http/feature";
import { accountOperation, projectOperation } from "../../http/operation/account-operation";
import { accountUpload } from "../../http/operation/account-upload";
import { free } from "../../http/operation/facts";
import { nothing } from "../../http/operation/input";
import { importNotFound, requireRemovable } from "../../services/import-refusals";
import { audited, entryOf, noteAhead } from "../../store/control/audit";
import type { ImportRow } from "../../store/control/import-tables";
import { importExample, importsExample } from "./examples";
import {
  DeletedImport,
  Import,
  ImportCheckRequest,
  ImportCommitRequest,
  ImportList,
  ImportPart,
  ImportPartStored,
  ImportRequest,
  ImportsQuery,
} from "./schema";
import { viewOf } from "./view";

const tag = "Imports";

/** Files of history, by which a project gets what other products, or this one, have stored. */
export const importsFeature = (deps: Deps): Feature => ({
  operations: [
    createRoute(deps),
    partRoute(deps),
    checkRoute(deps),
    listRoute(deps),
    readRoute(deps),
    commitRoute(deps),
    deleteRoute(deps),
  ],
});

interface AskedPath {
  readonly caller: Caller;
  readonly params: Readonly<Record<string, string>>;
}

/** Finds the import of a path, of a project of the caller's. Throws NOT_FOUND. */
function importOf({ control }: Deps, { caller, params: { id = "" } }: AskedPath): ImportRow {
  const row = control.imports.byId(id);
  const project = row === undefined ? undefined : control.projects.byId(row.projectId);
  if (row === undefined || project === undefined || !isReadable(caller, project)) {
    throw importNotFound();
  }
  return row;
}

const targetOf = ({ id, name }: Pick<ImportRow, "id" | "name">) => ({
  ...{ type: "import", id, ...(name !== null && { name }) },
});

const createRoute = (deps: Deps) =>
  projectOperation("POST /imports", {
    access: free("data:write", "", { role: "admin" }),
    doc: {
      id: "createImport",
      page: "move",
      summary: "Begin to import a file of history",
      description:
        "An import is a dry run until it is committed: create it, send the file with PUT /imports/{id}/data, " +
        "ask for a check, read the report, then commit. The file may be packed with gzip, zstd or zip. At " +
        "most 4 GiB, and 16 GiB once it is unpacked. An upload without a part for 24 hours lapses.",
      tag,
      errors: ["IMPORT_EXISTS", "PAYLOAD_TOO_LARGE", "NOT_ON_THIS_STORE", "UNAVAILABLE"],
    },
    takes: ImportRequest,
    returns: { 201: Import },
    handle: ({ project, input }) => {
      deps.disk.refuseUnlessRoom("imports");
      const { size, sha256, kind = null, name = null, timezone } = input;
      const { overlap = "drop", older = "fold" } = input;
      if (size > importBytesMax) throw fileTooLarge();
      const zone = timezone === undefined ? timeZoneDefault : timeZoneNameOf(timezone, "timezone");
      const row = deps.imports.create({
        name: name === null ? null : givenName(name),
        ...{ projectId: project.id, kind, size, sha256, timezone: zone, overlap, older },
      });
      return reply(201, viewOf(deps, row));
    },
  });

const fileTooLarge = (): ApiError =>
  new ApiError(
    "PAYLOAD_TOO_LARGE",
    `A file may have at most ${importBytesMax} bytes. Pack it with gzip or zstd, or import it in parts.`,
    { limit_bytes: importBytesMax },
  );

const partRoute = (deps: Deps) =>
  accountUpload("PUT /imports/{id}/data", {
    access: free("data:write", "", { role: "admin" }),
    isQuiet: true,
    takesQuery: true,
    doc: {
      id: "addImportPart",
      summary: "Send a part of an import's file",
      description:
        "The body are raw bytes, at most 8 MiB. Parts come one after the other: `offset` is what `received` " +
        "was. The part is on the disk when this answers; after an interruption ask the import for `received` " +
        "and go on there. Not counted by rate limits.",
      tag,
      errors: ["NOT_FOUND", "IMPORT_STATE", "UNAVAILABLE"],
    },
    takes: ImportPart,
    returns: { 200: ImportPartStored },
    bodyBytesMax: importPartBytesMax,
    checkPath: (asked) => void importOf(deps, asked),
    handle: async ({ params: { id = "" }, input: { offset }, bytes }) => {
      if (bytes.length === 0) {
        throw new ApiError("INVALID_BODY", "The part is empty. Send at least one byte.");
      }
      deps.disk.refuseUnlessRoom("imports");
      return { received: await deps.imports.addPart(id, offset, bytes) };
    },
  });

const checkRoute = (deps: Deps) =>
  accountOperation("POST /imports/{id}/check", {
    access: free("data:write", "", { role: "admin" }),
    doc: {
      id: "checkImport",
      summary: "Find out what a file would become",
      description:
        "Reads the whole file and stores nothing. Ask GET /imports/{id} for the report once `state` is " +
        "`checked`; `failed` says why in `error`. It can be checked again with another time zone or other " +
        "rules until it is committed. One check or commit of an account runs at a time.",
      tag,
      errors: [
        "NOT_FOUND",
        "IMPORT_STATE",
        "IMPORT_BROKEN",
        "IMPORT_NO_DATES",
        "IMPORT_BUSY",
        "UNAVAILABLE",
      ],
    },
    takes: ImportCheckRequest,
    returns: { 202: Import },
    checkPath: (asked) => void importOf(deps, asked),
    handle: async ({ caller, params, input: { timezone, overlap, older } }) => {
      const row = importOf(deps, { caller, params });
      deps.disk.refuseUnlessRoom("imports");
      const zone = timezone === undefined ? undefined : timeZoneNameOf(timezone, "timezone");
      const checking = await deps.imports.check(row, caller.account.id, {
        ...(zone !== undefined && { timezone: zone }),
        ...(overlap !== undefined && { overlap }),
        ...(older !== undefined && { older }),
      });
      return reply(202, viewOf(deps, checking));
    },
  });

const listRoute = (deps: Deps) =>
  projectOperation("GET /imports", {
    access: free("projects:read"),
    doc: {
      id: "listImports",
      summary: "The imports of a project",
      description: "Newest first, in every state.",
      tag,
      example: importsExample,
    },
    takes: ImportsQuery,
    returns: { 200: ImportList },
    handle: ({ project }) => ({
      imports: deps.control.imports.ofProject(project.id).map((row) => viewOf(deps, row)),
    }),
  });

const readRoute = (deps: Deps) =>
  accountOperation("GET /imports/{id}", {
    access: free("projects:read"),
    doc: {
      id: "getImport",
      summary: "An import with its report",
      description:
        "`report` accounts for every row of the file: `rows` says how many end in which way, `refusals` which " +
        "lines, and `differences` what the project will not have. Its users, sessions and page views are " +
        "those that reads will count.",
      tag,
      example: importExample,
      errors: ["NOT_FOUND"],
    },
    takes: nothing,
    returns: { 200: Import },
    handle: (asked) => viewOf(deps, importOf(deps, asked)),
  });

const commitRoute = (deps: Deps) =>
  accountOperation("POST /imports/{id}/commit", {
    access: free("data:write", "", { role: "admin" }),
    doc: {
      id: "commitImport",
      summary: "Store what was checked",
      description:
        "Nothing of it is seen before `state` is `done`, and everything then. Where the project has changed " +
        "since the check, the file is checked again first, and the report is that of what was stored. The " +
        "uploaded file is deleted when it is done.",
      tag,
      errors: ["NOT_FOUND", "IMPORT_STATE", "IMPORT_BUSY", "UNAVAILABLE"],
    },
    takes: ImportCommitRequest,
    returns: { 202: Import },
    checkPath: (asked) => void importOf(deps, asked),
    handle: ({ caller, params }) => {
      const row = importOf(deps, { caller, params });
      deps.disk.refuseUnlessRoom("imports");
      const committing = audited(
        deps.control,
        () => deps.imports.commit(row, caller.account.id),
        ({ id, name, kind, projectId }) =>
          entryOf(caller, "data_imported", targetOf({ id, name }), {
            ...{ projectId, details: { kind } },
          }),
      );
      return reply(202, viewOf(deps, committing));
    },
  });

const deleteRoute = (deps: Deps) =>
  accountOperation("DELETE /imports/{id}", {
    access: free("data:write", "", { role: "admin" }),
    doc: {
      id: "deleteImport",
      page: "move",
      summary: "Remove an import and all that it stored",
      description:
        "In every state: what it stored is gone when this answers, and nothing else is. `events` and `days` " +
        "say how much that was: events that retention has deleted since are in none of them, and leave the days " +
        "into which they were counted.",
      tag,
      errors: ["NOT_FOUND", "NOT_ON_THIS_STORE", "UNAVAILABLE"],
    },
    takes: nothing,
    returns: { 200: DeletedImport },
    checkPath: (asked) => void importOf(deps, asked),
    handle: async (asked) => {
      const row = importOf(deps, asked);
      requireRemovable(deps.store.imports, row);
      // Its events are in another database. An entry too many, after a crash, is better than one too few.
      if (row.state === "committing" || row.state === "done") {
        const about = { projectId: row.projectId, details: { removed: true } };
        noteAhead(deps.control, entryOf(asked.caller, "data_imported", targetOf(row), about));
      }
      const { events, days, daysLeft: days_left } = await deps.imports.remove(row);
      const left = days_left > 0 && { days_left };
      return { ok: true, deleted: row.id, events, days, ...left } as const;
    },
  });

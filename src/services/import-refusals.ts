import { ApiError, type ErrorCode } from "../domain/errors";
import type { ImportRow } from "../store/control/import-tables";
import type { ImportStore } from "../store/imports";

/** The ways in which something is refused of an import, and what is told of one that failed. */

interface ImportFailure {
  readonly code: ErrorCode;
  readonly message: string;
  readonly line?: number;
}

export function requireState(row: ImportRow, states: readonly ImportRow["state"][]): void {
  if (!states.includes(row.state)) {
    throw wrongState(row, `This needs the state ${states.join(" or ")}.`);
  }
}

export const wrongState = ({ state, received }: ImportRow, what: string): ApiError =>
  new ApiError("IMPORT_STATE", `The import is ${state}. ${what}`, { state, received });

export const importNotFound = (): ApiError =>
  new ApiError("NOT_FOUND", "This import does not exist. GET /imports lists those of a project.");

export const fileIsGone = (): ApiError =>
  new ApiError(
    "IMPORT_BROKEN",
    "The uploaded file is not on this server any more: backups do not have it. Create a new import.",
  );

const retrySeconds = 30;
export const busy = (what: string): ApiError =>
  new ApiError("IMPORT_BUSY", `${what} Wait until it is done.`, {
    retry_after_seconds: retrySeconds,
  });

export const textOf = ({ code, message, extras: { line } }: ApiError): string =>
  JSON.stringify({ code, message, ...(line !== undefined && { line }) } satisfies ImportFailure);

export const otherDigest = (): ApiError =>
  new ApiError(
    "IMPORT_BROKEN",
    "The bytes that came have another SHA-256 than the import names. Upload the file again as a new import.",
  );

export const notOnThisStore = (): ApiError =>
  new ApiError(
    "NOT_ON_THIS_STORE",
    "A server that keeps its events in ClickHouse does not import files. Import them into a server without " +
      "ClickHouse, then move it with `sightline move`.",
  );

/** The events of an import were moved to a store that does not tell them from others. */
export const isMovedAway = (
  store: ImportStore | null,
  { firstEventMs }: Pick<ImportRow, "firstEventMs">,
): boolean => store === null && firstEventMs !== null;

export function requireRemovable(store: ImportStore | null, row: ImportRow): void {
  if (!isMovedAway(store, row)) return;
  throw new ApiError(
    "NOT_ON_THIS_STORE",
    "The events of this import were moved to ClickHouse, which cannot tell them from others, so the import cannot be " +
      "removed. To remove its events, delete the project.",
  );
}

import { ApiError } from "../domain/errors";
import { secondMs } from "../lib/clock";
import { describeFault } from "../lib/fault";
import { log } from "../lib/log";
import type { Control } from "../store/control/control";
import type { ImportRow } from "../store/control/import-tables";
import type { ImportUpdate } from "../store/control/imports";
import { StorageFailed } from "../store/protocol/failure";
import { textOf } from "./import-refusals";

const noteAgainMs = secondMs;

/** Notes why an import failed. A full disk may not take even that: it is tried until there is room, or a stop. */
export async function noteFailure(
  control: Control,
  row: ImportRow,
  error: unknown,
  stop: AbortSignal,
): Promise<void> {
  if (stop.aborted) return;
  const change = changeFor(row.state, error);
  while (!stop.aborted) {
    try {
      control.imports.change(row.id, change);
      return;
    } catch (fault) {
      if (!isForNow(fault)) throw fault;
      await Bun.sleep(noteAgainMs);
    }
  }
}

/** A failure that another try may not meet: the disk was full, or a thread ended. */
const isForNow = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.code === "UNAVAILABLE";

/** The change that notes why a check or a commit failed. A commit that may work later leaves the import `checked`. */
function changeFor(state: ImportRow["state"], error: unknown): ImportUpdate {
  const next = isForNow(error) && state === "committing" ? "checked" : "failed";
  return { state: next, error: textOf(reasonOf(state, error)) };
}

function reasonOf(state: ImportRow["state"], error: unknown): ApiError {
  if (!(error instanceof ApiError)) {
    log("error", "an import failed", { state, ...describeFault(error) });
    return new ApiError("INTERNAL_ERROR", "The server failed to read this file.");
  }
  if (!(error instanceof StorageFailed)) return error;
  log("error", "an import failed", { state, cause: error.sqliteCode });
  const again = state === "committing" ? "commit" : "check";
  return new ApiError(
    "UNAVAILABLE",
    "The disk of the server is full or does not work, so nothing of the file was stored. Once there is room, " +
      `${again} it again.`,
  );
}

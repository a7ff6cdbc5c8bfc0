import { ApiError } from "../domain/errors";
import { Places } from "../lib/places";

/** The exports of one account at a time. */
export const exportsPerAccountMax = 2;
/** All exports of the server at a time: each takes a thread and its memory. */
export const exportsMax = 6;

/** The places of the exports that run. */
export class ExportPlaces {
  readonly #ofAccounts = new Places();

  /** Takes a place. Returns what gives it back; throws EXPORT_BUSY where there is none. */
  take(accountId: string): () => void {
    if (this.#ofAccounts.takenBy(accountId) >= exportsPerAccountMax) {
      throw busy(`This account already runs ${exportsPerAccountMax} exports.`);
    }
    if (this.#ofAccounts.taken >= exportsMax) {
      throw busy(`This server already runs ${exportsMax} exports.`);
    }
    return this.#ofAccounts.take(accountId);
  }
}

const retrySeconds = 30;
const busy = (what: string): ApiError =>
  new ApiError("EXPORT_BUSY", `${what} Wait until one of them ends, or cancel it.`, {
    retry_after_seconds: retrySeconds,
  });

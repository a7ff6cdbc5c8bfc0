import { ApiError } from "../domain/errors";
import { log } from "../lib/log";

/** A BLOB of ours that does not decode: the file is damaged. */
export class DamagedBlob extends Error {
  constructor(
    message: string,
    readonly place: Place = nowhere,
  ) {
    super(message);
  }
}

/** The place where stored data is not what was written; null when that cannot be told. */
export interface Place {
  /** Public id. */
  readonly project: string | null;
  /** UTC, of the first event that is stored together with it. */
  readonly day: string | null;
  readonly column: string | null;
}
export interface Damage extends Place {
  readonly cause: string;
}
const nowhere: Place = { project: null, day: null, column: null };

/** A request that needs damaged data gets this. Asking again does not help, so it does not say that it would. */
export class StorageDamaged extends ApiError {
  constructor(readonly damage: Damage) {
    super(
      "INTERNAL_ERROR",
      "This request needs stored data that is damaged. The operator has to restore a backup; the server's " +
        "log says where the damage is.",
    );
  }
}

/** SQLite's codes for a file that is not as it wrote it. */
const damageCodes = /^SQLITE_(CORRUPT|NOTADB)/;
/** What SQLite says, with the code of any error, of a file whose header names a format of schemas that there is not. */
const unknownFormat = "unsupported file format";

/** Returns the damage that an error tells of, or null for any other error. */
export function damageIn(error: unknown): Damage | null {
  if (error instanceof StorageDamaged) return error.damage;
  if (error instanceof DamagedBlob) return { ...error.place, cause: error.message };
  if (!(error instanceof Error && "code" in error && typeof error.code === "string")) return null;
  if (damageCodes.test(error.code)) return { ...nowhere, cause: error.code };
  return error.message === unknownFormat ? { ...nowhere, cause: error.message } : null;
}

/** Tells a person what is wrong, and where. */
export function describeDamage(error: unknown): string {
  if (!(error instanceof DamagedBlob)) return error instanceof Error ? error.message : "unknown";
  const { project, day, column } = error.place;
  if (column === null) return error.message;
  return `column ${column} of ${day ?? "an unknown day"} of project ${project ?? "unknown"}: ${error.message}`;
}

/** This number of places is told apart; of more there is nothing to learn. */
const placesMax = 1_000;

/** Damage of a database that was found since the start. It stays: the next start is on files that were mended. */
export class DamageReport {
  private readonly known = new Set<string>();

  constructor(private readonly file: string) {}

  get isEmpty(): boolean {
    return this.known.size === 0;
  }
  /** One line for each place, however often it is read. */
  note({ cause, project, day, column }: Damage): void {
    const place = [cause, project, day, column].join();
    if (this.known.has(place) || this.known.size >= placesMax) return;
    this.known.add(place);
    const { file } = this;
    log("error", "stored data is damaged; restore a backup", { file, project, day, column, cause });
  }
}

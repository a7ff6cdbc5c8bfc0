import { erasedDigests } from "../domain/erased-digest";
import { clock } from "../lib/clock";
import { log } from "../lib/log";
import type { Backups } from "../store/backups/backups";
import type { Control } from "../store/control/control";
import type { ErasureRow } from "../store/control/erasure-tables";

/** Erasures that the target of the backups has no note of. */
export interface UnnotedErasures {
  readonly count: number;
  /** When the first of them was hidden, Unix ms; null when there is none. */
  readonly sinceMs: number | null;
  /** The reason why the last try failed; null when it did not. */
  readonly why: string | null;
}

/** Writes a note of each erasure beside the backup, so that a restore of an older moment leaves the person out. */
export class ErasureNotes {
  /** The ids of erasures whose note is written. */
  readonly #noted = new Set<string>();
  #failure: string | null = null;

  constructor(
    private readonly parts: { readonly control: Control; readonly backups: Backups | null },
  ) {}

  get lacking(): UnnotedErasures {
    const { control, backups } = this.parts;
    const rows = backups === null ? [] : control.erasures.running();
    const lacking = rows.filter(({ id, hiddenAtMs }) => hiddenAtMs !== null && !this.has(id));
    return { count: lacking.length, sinceMs: lacking[0]?.hiddenAtMs ?? null, why: this.#failure };
  }

  /** Tells whether the note is written, as far as this process knows. True where there are no backups. */
  has(id: string): boolean {
    return this.parts.backups === null || this.#noted.has(id);
  }
  forget(id: string): void {
    this.#noted.delete(id);
  }

  /** Writes the notes that are missing. After a failure the others wait for the next call, which tries again. */
  async write(rows: readonly ErasureRow[]): Promise<void> {
    try {
      for (const row of rows) if (!this.has(row.id)) await this.#writeOne(row);
      this.#failure = null;
    } catch (error) {
      const why = error instanceof Error ? error.message : "unknown";
      if (why !== this.#failure)
        log("error", "an erasure has no note beside the backup yet", { why });
      this.#failure = why;
    }
  }

  async #writeOne(row: ErasureRow): Promise<void> {
    const { control, backups } = this.parts;
    const digestOf = erasedDigests(control.identitySecret);
    const projects = control.erasures.workOf(row).map(({ projectId, ids, sessionIds }) => ({
      projectId,
      ids: ids.map((id) => digestOf(projectId, id)),
      sessions: sessionIds.map((id) => digestOf(projectId, id)),
    }));
    const blocked = control.blockedIds.ofErasure(row.id);
    const known = { id: row.id, atMs: row.hiddenAtMs ?? clock.nowMs(), projects };
    await backups?.noteErasure({ ...known, ...(blocked.length > 0 && { blocked }) });
    this.#noted.add(row.id);
  }
}

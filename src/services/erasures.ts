/*
 * An erasure is answered once nobody sees anything of the person.
 * Decision: the request waits until the events, links and recordings are gone from all reads; a job that runs each
 * minute then overwrites what is left in files, and goes on with what a stop interrupted.
 * Because: after the answer no read may show the person, and how long files need depends on who still reads them.
 * Cost: the request takes as long as the segments of the person take to be written again.
 */

import { createHmac, hkdfSync } from "node:crypto";
import type { Config } from "../config";
import { ApiError } from "../domain/errors";
import { clock, minuteMs, secondMs } from "../lib/clock";
import { equalInConstantTime, sha256Hex } from "../lib/ids";
import type { PersonQuestion } from "../reads/person-data";
import type { Backups } from "../store/backups/backups";
import type { Control } from "../store/control/control";
import type { ErasureRow } from "../store/control/erasure-tables";
import type { Feed } from "../store/live/feed";
import type { EventStore } from "../store/port";
import type { ReplayStore } from "../store/replay-port";
import type { ArchiveErasures } from "./archive/archive-erasures";
import { ErasureNotes, type UnnotedErasures } from "./erasure-notes";
import { type ErasurePreview, type FoundPerson, idsIn, personFound } from "./erasure-preview";
import { dropUploads } from "./unfinished-imports";
import { tellOfErasure } from "./webhooks/erasure-event";
import type { Webhooks } from "./webhooks/webhooks";

/** A preview can be confirmed for this long. */
const confirmMs = 15 * minuteMs;
/** A request waits for this long; the erasure goes on when it is over. */
const waitMsMax = 120 * secondMs;

interface Parts {
  readonly control: Control;
  readonly store: EventStore;
  readonly replays: ReplayStore;
  readonly feed: Feed;
  readonly backups: Backups | null;
  readonly archive: ArchiveErasures;
  readonly webhooks: Pick<Webhooks, "queue">;
  readonly config: Pick<Config, "backups" | "dataDir">;
}

/** A preview, and what confirms it. */
type ConfirmedPreview = ErasurePreview & {
  /** Good for this set alone, and for 15 minutes. */
  readonly confirm: string;
};
type Made = Pick<ErasureRow, "accountId" | "projectId" | "reference" | "requestedBy" | "blocks">;

/** The erasures of people. */
export class Erasures {
  readonly #parts: Parts;
  readonly #key: Buffer;
  readonly #notes: ErasureNotes;
  /** Those that are under way, one after the other. */
  readonly #running = new Map<string, Promise<void>>();
  #last: Promise<unknown> = Promise.resolve();

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#notes = new ErasureNotes(parts);
    const { identitySecret } = parts.control;
    this.#key = Buffer.from(hkdfSync("sha256", identitySecret, "", "erasure confirmations", 32));
  }

  /**
   * Null when nothing is stored about such a person. Throws MISSING_FIELDS where they have more ids than can be
   * blocked.
   */
  async preview(
    accountId: string,
    question: PersonQuestion,
    blocks: boolean,
  ): Promise<ConfirmedPreview | null> {
    const found = await personFound(this.#parts, question);
    if (found === null) return null;
    if (blocks) this.#parts.control.blockedIds.requireRoom(question.projectIds, idsIn(found));
    const confirm = this.#confirmation(accountId, found, clock.nowMs() + confirmMs);
    return { ...found.preview, confirm };
  }

  /**
   * Erases what a preview has shown. Resolves when no read shows anything of it. `noted` runs in the commit that notes
   * the erasure. Throws ERASURE_CHANGED, IMPORT_BUSY, and MISSING_FIELDS as the preview does.
   */
  async erase(
    made: Made,
    question: PersonQuestion,
    confirm: string,
    noted: (row: ErasureRow) => void,
  ): Promise<ErasureRow | null> {
    const found = await personFound(this.#parts, question);
    if (found === null) return null;
    if (!this.#isConfirmed(made.accountId, found, confirm)) throw changed();
    const { control } = this.#parts;
    const ids = idsIn(found);
    if (made.blocks) control.blockedIds.requireRoom(question.projectIds, ids);
    // An upload that was checked before may have rows of an id that is now blocked.
    const touched = made.blocks
      ? question.projectIds
      : found.summaries.map(({ projectId }) => projectId);
    for (const projectId of touched) this.#dropUploads(projectId);
    const row = control.write(() => {
      const { counts } = found.preview;
      const work = found.summaries.map(({ projectId, ids, sessionIds }) => ({
        ...{ projectId, ids, sessionIds },
      }));
      const added = control.erasures.add({ ...made, counts }, work);
      if (made.blocks) control.blockedIds.add(added.id, question.projectIds, ids);
      noted(added);
      return added;
    });
    await Promise.race([this.#start(row), Bun.sleep(waitMsMax)]);
    const hidden = control.erasures.byId(row.id);
    if (hidden === undefined || hidden.hiddenAtMs === null) throw takesLong(row.id);
    return hidden;
  }

  get running(): number {
    return this.#parts.control.erasures.running().length;
  }

  get unnoted(): UnnotedErasures {
    return this.#notes.lacking;
  }

  /**
   * Continues interrupted erasures, overwrites the data that is left in files, and cleans files of the archive for some
   * seconds. True when nothing is left to do.
   */
  async goOn(isStopped: () => boolean = () => false): Promise<boolean> {
    const isArchiveClean = await this.#parts.archive.goOn(isStopped);
    return (await this.#goOn()) && isArchiveClean;
  }

  async #goOn(): Promise<boolean> {
    const { erasures } = this.#parts.control;
    const open = erasures.running();
    if (open.length === 0) return true;
    for (const row of open) if (row.hiddenAtMs === null) await this.#start(row);
    const hidden = erasures.running().filter(({ hiddenAtMs }) => hiddenAtMs !== null);
    // Files may have to wait for their readers, and the notes do not.
    await this.#notes.write(hidden);
    if (!(await this.#clean())) return false;
    const isOver = (row: ErasureRow): boolean =>
      this.#notes.has(row.id) && !this.#isArchivedInside(row);
    for (const { id } of hidden.filter(isOver)) {
      erasures.done(id, (row) => tellOfErasure(this.#parts, row));
      this.#notes.forget(id);
    }
    return erasures.running().length === 0;
  }

  #start(row: ErasureRow): Promise<void> {
    const known = this.#running.get(row.id);
    if (known !== undefined) return known;
    const work = this.#last.then(() => this.#hide(row));
    this.#running.set(row.id, work);
    this.#last = work.catch(() => undefined).then(() => this.#running.delete(row.id));
    return work;
  }

  /** Each step can be done again. */
  async #hide(row: ErasureRow): Promise<void> {
    const { control, store, replays, feed, config, archive } = this.#parts;
    for (const work of control.erasures.workOf(row)) {
      const { projectId, ids, sessionIds } = work;
      this.#dropUploads(projectId);
      await store.erasures.erase(projectId, ids);
      feed.buffer.erase(projectId, ids);
      await replays.erase(projectId, sessionIds);
      if (control.erasures.dropMentions(work)) control.noteErased();
    }
    const keepMs = config.backups?.keepMs;
    const backupsUntilMs = keepMs === undefined ? null : clock.nowMs() + keepMs;
    // The job tries again where the target does not answer.
    await this.#notes.write([{ ...row, hiddenAtMs: clock.nowMs() }]);
    control.write(() => {
      control.erasures.hidden(row.id, backupsUntilMs);
      const work = control.erasures.workOf(row);
      if (archive.hasPlace) control.archiveErasures.add(row.id, clock.nowMs(), work);
    });
  }

  /** Tells whether files of the archive that lie in the data folder may still have the person. */
  #isArchivedInside({ id }: ErasureRow): boolean {
    const { archive, control } = this.#parts;
    return archive.isInDataDir && control.archiveErasures.isOpen(id);
  }

  async #clean(): Promise<boolean> {
    const { store, replays, control, backups } = this.#parts;
    const copyLog = (file: string) => async (): Promise<void> => await backups?.copyLog(file);
    const cleaned = [
      await store.erasures.clean(),
      await replays.clean(copyLog("replays.db")),
      await control.clean(copyLog("control.db")),
    ];
    return cleaned.every((isClean) => isClean);
  }

  #confirmation(accountId: string, { preview, summaries }: FoundPerson, untilMs: number): string {
    const set = sha256Hex(JSON.stringify([preview, summaries]));
    const sum = createHmac("sha256", this.#key).update(JSON.stringify([accountId, untilMs, set]));
    return `${untilMs.toString(36)}.${sum.digest("hex")}`;
  }
  #isConfirmed(accountId: string, found: FoundPerson, confirm: string): boolean {
    const untilMs = Number.parseInt(confirm, 36);
    const isInTime = untilMs >= clock.nowMs() && untilMs <= clock.nowMs() + confirmMs;
    return isInTime && equalInConstantTime(this.#confirmation(accountId, found, untilMs), confirm);
  }

  #dropUploads(projectId: string): void {
    const { control, config } = this.#parts;
    dropUploads(control, config.dataDir, projectId);
  }
}

const changed = (): ApiError =>
  new ApiError(
    "ERASURE_CHANGED",
    "The stored data of this person has changed since the preview, or the preview is older than 15 minutes. " +
      "Request the preview again, and send its `confirm`.",
  );
const takesLong = (id: string): ApiError =>
  new ApiError(
    "UNAVAILABLE",
    `The erasure takes longer than a request may wait, and goes on. GET /people/erasures/${id} tells its state.`,
    { retry_after_seconds: 60 },
  );

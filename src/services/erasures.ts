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
import { type PersonSummary, summariesOf } from "../reads/person-summary";
import type { Backups } from "../store/backups/backups";
import type { Control } from "../store/control/control";
import type { ErasureCounts, ErasureRow } from "../store/control/erasure-tables";
import type { ErasureStore } from "../store/erasures";
import type { Feed } from "../store/live/feed";
import type { EventStore } from "../store/port";
import type { ReplayStore } from "../store/replay-port";
import { ErasureNotes, type UnnotedErasures } from "./erasure-notes";
import { recordingsOf } from "./recordings-of-sessions";
import { dropUploads } from "./unfinished-imports";

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
  readonly config: Pick<Config, "backups" | "dataDir">;
}

/** The numbers of things that an erasure would delete. */
export interface ErasurePreview {
  readonly counts: ErasureCounts;
  readonly firstMs: number | null;
  readonly lastMs: number | null;
  /** Good for this set alone, and for 15 minutes. */
  readonly confirm: string;
}
interface Found {
  readonly preview: Omit<ErasurePreview, "confirm">;
  readonly summaries: readonly PersonSummary[];
}
type Made = Pick<ErasureRow, "accountId" | "projectId" | "reference" | "requestedBy" | "blocks">;

/** All ids of the person, in whatever project. */
const idsIn = ({ summaries }: Pick<Found, "summaries">): readonly string[] => [
  ...new Set(summaries.flatMap(({ ids }) => ids)),
];

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
   * Null when nothing is stored about such a person. Throws NOT_ON_THIS_STORE, and MISSING_FIELDS where they have more
   * ids than can be blocked.
   */
  async preview(
    accountId: string,
    question: PersonQuestion,
    blocks: boolean,
  ): Promise<ErasurePreview | null> {
    this.#requireStore();
    const found = await this.#find(question);
    if (found === null) return null;
    if (blocks) this.#parts.control.blockedIds.requireRoom(question.projectIds, idsIn(found));
    const confirm = this.#confirmation(accountId, found, clock.nowMs() + confirmMs);
    return { ...found.preview, confirm };
  }

  /**
   * Erases what a preview has shown. Resolves when no read shows anything of it. `noted` runs in the commit that notes
   * the erasure. Throws ERASURE_CHANGED, IMPORT_BUSY, NOT_ON_THIS_STORE, and MISSING_FIELDS as the preview does.
   */
  async erase(
    made: Made,
    question: PersonQuestion,
    confirm: string,
    noted: (row: ErasureRow) => void,
  ): Promise<ErasureRow | null> {
    this.#requireStore();
    const found = await this.#find(question);
    if (found === null) return null;
    if (!this.#isConfirmed(made.accountId, found, confirm)) throw changed();
    const { control } = this.#parts;
    const ids = idsIn(found);
    if (made.blocks) control.blockedIds.requireRoom(question.projectIds, ids);
    // What was checked before may have rows of an id that is blocked from now on.
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

  /** Goes on with what was interrupted, and overwrites what is left in files. True when nothing is left to do. */
  async goOn(): Promise<boolean> {
    const { erasures } = this.#parts.control;
    const open = erasures.running();
    if (open.length === 0) return true;
    for (const row of open) if (row.hiddenAtMs === null) await this.#start(row);
    const hidden = erasures.running().filter(({ hiddenAtMs }) => hiddenAtMs !== null);
    // Files may have to wait for their readers, and the notes do not.
    await this.#notes.write(hidden);
    if (!(await this.#clean())) return false;
    for (const { id } of hidden.filter((row) => this.#notes.has(row.id))) {
      erasures.done(id);
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
    const { control, replays, feed, config } = this.#parts;
    const store = this.#requireStore();
    for (const work of control.erasures.workOf(row)) {
      const { projectId, ids, sessionIds } = work;
      this.#dropUploads(projectId);
      await store.erase(projectId, ids);
      feed.buffer.erase(projectId, ids);
      await replays.erase(projectId, sessionIds);
      if (control.erasures.dropMentions(work)) control.noteErased();
    }
    const keepMs = config.backups?.keepMs;
    // The job tries again where the target does not answer.
    await this.#notes.write([{ ...row, hiddenAtMs: clock.nowMs() }]);
    control.erasures.hidden(row.id, keepMs === undefined ? null : clock.nowMs() + keepMs);
  }

  async #clean(): Promise<boolean> {
    const { replays, control, backups } = this.#parts;
    const copyLog = (file: string) => async (): Promise<void> => await backups?.copyLog(file);
    const cleaned = [
      await this.#requireStore().clean(),
      await replays.clean(copyLog("replays.db")),
      await control.clean(copyLog("control.db")),
    ];
    return cleaned.every((isClean) => isClean);
  }

  async #find(question: PersonQuestion): Promise<Found | null> {
    const { store, replays } = this.#parts;
    const summaries = await summariesOf(store, question);
    if (summaries.length === 0) return null;
    let recordings = 0;
    for (const { projectId, sessionIds } of summaries) {
      for await (const _ of recordingsOf(replays, projectId, sessionIds)) recordings++;
    }
    const sum = (of: (one: PersonSummary) => number): number =>
      summaries.reduce((total, one) => total + of(one), 0);
    const counts: ErasureCounts = {
      ids: idsIn({ summaries }).length,
      events: sum(({ events }) => events),
      sessions: sum(({ sessionIds }) => sessionIds.length),
      replays: recordings,
      held: 0,
      traits: sum(({ traits }) => traits),
    };
    const times = summaries.flatMap(({ firstMs, lastMs }) => [firstMs, lastMs]);
    const known = times.filter((ms) => ms !== null);
    const firstMs = known.length === 0 ? null : Math.min(...known);
    const lastMs = known.length === 0 ? null : Math.max(...known);
    return { preview: { counts, firstMs, lastMs }, summaries };
  }

  #confirmation(accountId: string, { preview, summaries }: Found, untilMs: number): string {
    const set = sha256Hex(JSON.stringify([preview, summaries]));
    const sum = createHmac("sha256", this.#key).update(JSON.stringify([accountId, untilMs, set]));
    return `${untilMs.toString(36)}.${sum.digest("hex")}`;
  }
  #isConfirmed(accountId: string, found: Found, confirm: string): boolean {
    const untilMs = Number.parseInt(confirm, 36);
    const isInTime = untilMs >= clock.nowMs() && untilMs <= clock.nowMs() + confirmMs;
    return isInTime && equalInConstantTime(this.#confirmation(accountId, found, untilMs), confirm);
  }

  #dropUploads(projectId: string): void {
    const { control, config } = this.#parts;
    dropUploads(control, config.dataDir, projectId);
  }
  #requireStore(): ErasureStore {
    const { erasures } = this.#parts.store;
    if (erasures !== null) return erasures;
    throw new ApiError(
      "NOT_ON_THIS_STORE",
      "A server that keeps its events in ClickHouse cannot erase one person yet. It can export everything about " +
        "them with POST /people/export.",
    );
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

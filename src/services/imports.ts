import type { ApiError } from "../domain/errors";
import type { ImportReport } from "../domain/import-report";
import { ownHostsOf } from "../domain/sources/referrer";
import { clock } from "../lib/clock";
import type { Control } from "../store/control/control";
import type { ImportRow } from "../store/control/import-tables";
import type { ImportUpdate, NewImport } from "../store/control/imports";
import { ImportFiles } from "../store/import-files";
import type { ImportStore, ImportWork, RemovedRows, StoredImport } from "../store/imports";
import { noteFailure } from "./import-failure";
import {
  busy,
  fileIsGone,
  importNotFound,
  isMovedAway,
  notOnThisStore,
  otherDigest,
  requireState,
  textOf,
  wrongState,
} from "./import-refusals";
import { knownFacts, removeDays, takeDays } from "./imported-days";
import { UploadDigests } from "./upload-digests";

/** Checks and commits of all accounts at a time: each takes a thread and its memory. */
const importsRunningMax = 2;

interface ImportsDeps {
  readonly control: Control;
  readonly store: { readonly imports: ImportStore | null };
  readonly dataDir: string;
  /** Returns the Unix ms from which a project stores events. */
  storedFromMs(projectId: string): number;
}

interface Running {
  readonly accountId: string;
  readonly abort: AbortController;
  readonly ended: Promise<void>;
  share: number;
}

/** The imports of files, from the upload to the removal of what one stored. */
export class Imports {
  readonly #control: Control;
  readonly #store: ImportStore | null;
  readonly #files: ImportFiles;
  readonly #digests: UploadDigests;
  readonly #storedFromMs: ImportsDeps["storedFromMs"];
  readonly #running = new Map<string, Running>();
  /** Parts of one upload are written one after the other. */
  readonly #writing = new Map<string, Promise<unknown>>();
  #isClosed = false;

  constructor({ control, store, dataDir, storedFromMs }: ImportsDeps) {
    this.#storedFromMs = storedFromMs;
    this.#control = control;
    this.#store = store.imports;
    this.#files = new ImportFiles(dataDir);
    this.#digests = new UploadDigests(this.#files);
  }

  /** Throws NOT_ON_THIS_STORE, or IMPORT_EXISTS. */
  create(made: NewImport): ImportRow {
    this.#requireStore();
    return this.#control.imports.add(made);
  }

  /** Stores a part. Returns the number of bytes that are there. Throws IMPORT_STATE for another offset. */
  addPart(id: string, offset: number, bytes: Uint8Array): Promise<number> {
    const before = this.#writing.get(id) ?? Promise.resolve();
    const written = before.then(() => this.#writePart(id, offset, bytes));
    const settled = written.catch(() => null);
    this.#writing.set(id, settled);
    void settled.then(() => {
      if (this.#writing.get(id) === settled) this.#writing.delete(id);
    });
    return written;
  }

  /** Begins a check. Throws IMPORT_STATE, IMPORT_BROKEN or IMPORT_BUSY. */
  async check(row: ImportRow, accountId: string, change: ImportUpdate): Promise<ImportRow> {
    requireState(row, ["uploading", "checked", "failed"]);
    if (row.received < row.size) throw wrongState(row, "Send the rest of the file first.");
    this.#requireRoom(accountId);
    this.#requireFile(row);
    if (row.state === "uploading") await this.#requireDigest(row);
    // Another request may have begun one meanwhile.
    this.#requireRoom(accountId);
    requireState(this.#find(row.id), ["uploading", "checked", "failed"]);
    const checking = this.#change(row.id, { ...change, state: "checking", error: null });
    this.#start(checking, accountId);
    return checking;
  }

  /** Begins to store what was checked. Throws IMPORT_STATE or IMPORT_BUSY. */
  commit(row: ImportRow, accountId: string): ImportRow {
    requireState(row, ["checked"]);
    this.#requireRoom(accountId);
    this.#requireFile(row);
    const committing = this.#change(row.id, { state: "committing", error: null });
    this.#start(committing, accountId);
    return committing;
  }

  /** Removes an import with everything that it stored. */
  async remove({ id, projectId }: ImportRow): Promise<RemovedRows> {
    await this.#stop(id);
    await this.#writing.get(id);
    this.#control.imports.change(id, { isRemoving: true });
    // The events first: what has no row any more cannot be removed.
    const { events = 0, firstKeptMs = null } = (await this.#store?.remove(id)) ?? {};
    const days = removeDays(this.#control, { id, projectId }, firstKeptMs);
    this.#forgetFile(id);
    return { events, ...days };
  }

  /** The share of its state's work that is done. */
  progressOf({ id, state, size, received }: ImportRow): number {
    if (state === "uploading") return received / size;
    if (state === "checking" || state === "committing") return this.#running.get(id)?.share ?? 0;
    return state === "failed" ? 0 : 1;
  }

  /** Goes on with what a stop interrupted. Called once, before requests are answered. */
  async resume(): Promise<void> {
    const { imports } = this.#control;
    // A removal that had begun is over before anybody reads a half of what is left.
    const removing = imports.removing().filter((row) => !isMovedAway(this.#store, row));
    for (const row of removing) await this.remove(row);
    this.#files.removeOthers(imports.idsWithFile());
    const underWay = imports.underWay();
    await this.#store?.dropOthers(
      underWay.filter(({ state }) => state === "committing").map(({ id }) => id),
    );
    for (const row of underWay) {
      const isStored = row.state === "committing" && this.#store?.isStored(row.id) === true;
      if (this.#files.has(row.id, row.size)) {
        this.#start(row, imports.accountOf(row.id) ?? "");
        // Its events are there: the rest of it follows before anybody reads.
        if (isStored) await this.#running.get(row.id)?.ended;
      } else if (isStored && row.report !== null) {
        // A backup was made between the two commits: it has no file.
        const report: ImportReport = JSON.parse(row.report);
        this.#finish(row, { report, context: null, firstEventMs: null });
      } else this.#fail(row, fileIsGone());
    }
  }

  /** Deletes what nobody has gone on with. */
  lapse(nowMs: number): void {
    for (const { id } of this.#control.imports.lapsed(nowMs)) {
      if (this.#running.has(id) || this.#writing.has(id)) continue;
      this.#control.imports.drop(id);
      this.#forgetFile(id);
    }
  }

  /** Stops everything that is under way; it goes on at the next start. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#running.keys()].map((id) => this.#stop(id)));
    await Promise.all(this.#writing.values());
  }

  async #writePart(id: string, offset: number, bytes: Uint8Array): Promise<number> {
    const row = this.#find(id);
    requireState(row, ["uploading"]);
    const { size, received } = row;
    if (offset !== received) throw wrongState(row, `Go on at offset ${received}.`);
    if (received + bytes.length > size) {
      throw wrongState(row, `The file has ${size} bytes, of which ${size - received} are missing.`);
    }
    await this.#files.write(id, offset, bytes);
    this.#digests.add(id, offset, bytes);
    return this.#change(id, { received: received + bytes.length }).received;
  }

  async #requireDigest(row: ImportRow): Promise<void> {
    const digest = await this.#digests.of(row.id, row.size);
    if (digest === row.sha256) return;
    const error = otherDigest();
    this.#fail(row, error);
    this.#forgetFile(row.id);
    throw error;
  }

  #start(row: ImportRow, accountId: string): void {
    if (this.#isClosed) return;
    const abort = new AbortController();
    const { promise, resolve } = Promise.withResolvers<void>();
    const running: Running = { accountId, abort, ended: promise, share: 0 };
    this.#running.set(row.id, running);
    void this.#work(row, running).then(() => {
      this.#running.delete(row.id);
      resolve();
    });
  }

  async #work(row: ImportRow, running: Running): Promise<void> {
    const { id, state } = row;
    try {
      const request = {
        signal: running.abort.signal,
        progress: (share: number) => {
          running.share = share;
        },
        days: takeDays(this.#control, row),
      };
      const [work, store] = [this.#workOf(row), this.#requireStore()];
      if (state === "checking") {
        const report = await store.check(work, request);
        const found = { kind: report.format, report: JSON.stringify(report) };
        this.#control.imports.change(id, { ...found, state: "checked" });
      } else this.#finish(row, await store.commit(work, request));
    } catch (error) {
      await noteFailure(this.#control, row, error, running.abort.signal);
    }
  }

  #finish({ id, projectId }: ImportRow, stored: StoredImport): void {
    const { contexts, days, imports } = this.#control;
    const { context, firstEventMs } = stored;
    this.#control.write(() => {
      const committedAtMs = clock.nowMs();
      days.show(projectId, id);
      const writes = context !== null && contexts.ofProject(projectId) === undefined;
      if (writes) contexts.putOfProject(projectId, context, committedAtMs);
      const report = JSON.stringify(stored.report);
      const contextAtMs = writes ? committedAtMs : null;
      imports.change(id, { report, state: "done", committedAtMs, firstEventMs, contextAtMs });
    });
    this.#forgetFile(id);
  }

  #fail({ id }: ImportRow, error: ApiError): void {
    this.#control.imports.change(id, { state: "failed", error: textOf(error) });
  }

  #workOf(row: ImportRow): ImportWork {
    const { id, projectId, kind, timezone: timeZone, overlap, older } = row;
    const project = this.#control.projects.byId(projectId);
    const zone = project?.timezone ?? "UTC";
    const ownHosts = project === undefined ? [] : ownHostsOf(project);
    const places = { path: this.#files.pathOf(id), folder: this.#files.folderOf(id) };
    const known = {
      ...knownFacts(this.#control, row),
      storedFromMs: this.#storedFromMs(projectId),
    };
    const judged = { kind, timeZone, zone, ownHosts, overlap, older };
    return { importId: id, projectId, ...places, ...judged, ...known };
  }

  async #stop(id: string): Promise<void> {
    const running = this.#running.get(id);
    running?.abort.abort();
    await running?.ended;
  }
  #forgetFile(id: string): void {
    this.#digests.forget(id);
    this.#files.remove(id);
  }

  #find(id: string): ImportRow {
    const row = this.#control.imports.byId(id);
    if (row === undefined) throw importNotFound();
    return row;
  }
  #change(id: string, change: ImportUpdate): ImportRow {
    const row = this.#control.imports.change(id, change);
    if (row === undefined) throw importNotFound();
    return row;
  }
  #requireStore(): ImportStore {
    if (this.#store !== null) return this.#store;
    throw notOnThisStore();
  }
  #requireFile(row: ImportRow): void {
    if (this.#files.has(row.id, row.size)) return;
    const error = fileIsGone();
    this.#fail(row, error);
    throw error;
  }
  #requireRoom(accountId: string): void {
    const running = [...this.#running.values()];
    if (running.some((one) => one.accountId === accountId)) {
      throw busy("This account already checks or commits an import.");
    }
    if (running.length >= importsRunningMax) {
      throw busy(`All accounts together already check or commit ${importsRunningMax} imports.`);
    }
  }
}

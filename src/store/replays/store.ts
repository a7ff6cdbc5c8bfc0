import { join } from "node:path";
import { ApiError } from "../../domain/errors";
import { replayMsMax, segmentGroupEveryMs, viewerMs } from "../../domain/replay/limits";
import {
  isPlayable,
  type ReplayStatus,
  type ReplaySummary,
  type SentStopReason,
} from "../../domain/replay/summary";
import { ReplayTokens } from "../../domain/replay/tokens";
import { clock } from "../../lib/clock";
import { log } from "../../lib/log";
import { TwoGenerationCache } from "../../lib/two-generation-cache";
import { startNamedThread } from "../../worker-url";
import { StorageDamaged } from "../damage";
import { StorageFailed } from "../protocol/failure";
import { inTime } from "../protocol/in-time";
import { databaseName } from "../replay-places";
import type {
  RecordedSession,
  ReplaySelection,
  ReplayStore,
  ReplaysOfSessions,
  ReplaysPage,
  ReplaysQuestion,
  ReplayUsage,
  SegmentOutcome,
  SegmentsPage,
  SentSegment,
  StartedReplay,
  StoredTimeline,
  ViewerLink,
  WholeRecording,
} from "../replay-port";
import { StorageState } from "../storage-state";
import { cleanFiles, eraseSessions } from "./erasing";
import type { Found, FoundOfSessions } from "./keeper";
import { Maintenance } from "./maintenance";
import type { ReplayStoreOptions } from "./options";
import type { GroupOutcome, Started } from "./questions";
import { bySession } from "./rows";
import { hasReplays } from "./tables";
import { openThreads, type ReplayThreads, type ThreadStarts } from "./threads";
import { Uploads } from "./uploads";
import { viewedReplay } from "./viewing";

const rememberedReplaysMax = 8_192;

export const startReplayWorkers: ThreadStarts = {
  writer: () => startNamedThread("replay-writer"),
  keeper: () => startNamedThread("replay-keeper"),
};

/**
 * Opens the recordings of a data folder, if it has any: a server that records nothing has no threads for it. Throws
 * StorageRefused when the file cannot be used.
 */
export async function openReplayStore(
  options: ReplayStoreOptions,
  starts: ThreadStarts = startReplayWorkers,
): Promise<ReplayStore> {
  const store = new Store(options, starts);
  if (hasReplays(join(options.dataDir, databaseName))) await store.threads();
  return store;
}

class Store implements ReplayStore {
  readonly #options: ReplayStoreOptions;
  readonly #starts: ThreadStarts;
  readonly #tokens: ReplayTokens;
  readonly #uploads: Uploads;
  readonly #projects = new TwoGenerationCache<string, Promise<string | null>>(
    rememberedReplaysMax / 2,
  );
  /** The number of the last change that was told, by project. */
  readonly #changes = new Map<string, number>();
  #threads: Promise<ReplayThreads> | null = null;
  #maintenance: Maintenance | null = null;
  readonly #storage = new StorageState({
    ...{ file: databaseName, what: "recordings" },
    probe: async () => (await this.threads()).probe(),
  });
  #closed: Promise<void> | null = null;

  constructor(options: ReplayStoreOptions, starts: ThreadStarts) {
    this.#options = options;
    this.#starts = starts;
    this.#tokens = new ReplayTokens(options.secret);
    this.#uploads = new Uploads({
      commit: (segments) => this.#commit(segments),
      closed: () => this.#maintenance?.touch(),
      groupEveryMs: segmentGroupEveryMs,
    });
  }

  /** Started when they are first needed. */
  threads(): Promise<ReplayThreads> {
    this.#threads ??= this.#open().catch((error: unknown) => {
      // A disk that was full then may not be so the next time.
      this.#threads = null;
      this.#failed(error);
      throw error;
    });
    return this.#threads;
  }

  async start(session: RecordedSession): Promise<StartedReplay | null> {
    const { writer } = await this.threads();
    const nowMs = clock.nowMs();
    const start = { kind: "start", nowMs, ...session } as const;
    const started = await inTime(writer.ask<Started | null>(start));
    // It may have closed the one before.
    this.#maintenance?.touch();
    if (started === null) return null;
    const { id, isNew, nextSeq, startedAtMs } = started;
    const expiresAtMs = startedAtMs + replayMsMax;
    const uploadToken = this.#tokens.issue("aau", started, expiresAtMs);
    return { id, isNew, nextSeq, expiresAtMs, uploadToken };
  }

  addSegment(segment: SentSegment): Promise<SegmentOutcome> {
    return this.#uploads.add(segment);
  }

  async record(recordings: readonly WholeRecording[]): Promise<number> {
    const { writer } = await this.threads();
    const count = await writer.ask<number>({ kind: "record", recordings });
    this.#maintenance?.touch();
    return count;
  }

  async finish(id: string, reason: SentStopReason | null): Promise<ReplayStatus> {
    const { writer } = await this.threads();
    const status = await inTime(writer.ask<ReplayStatus>({ kind: "finish", id, reason }));
    this.#maintenance?.touch();
    return status;
  }

  mayUpload(token: string, id: string): boolean {
    return this.#tokens.isOf("aau", token, id);
  }

  async projectOf(id: string): Promise<string | null> {
    if (this.#threads === null) return null;
    const known = this.#projects.get(
      id,
      async () => (await this.#found(id))?.replay.project_id ?? null,
    );
    const project = await known;
    // Unknown ids are not kept, so that guesses do not push out ids that are in use.
    if (project === null) this.#projects.delete(id);
    return project;
  }

  health() {
    const { isFailed, errors: storageErrors, damage } = this.#storage;
    const queue = this.#uploads.isLate ? "failed" : "ok";
    const storage = isFailed ? "failed" : "ok";
    return { storage, queue, storageErrors, isDamaged: !damage.isEmpty } as const;
  }
  hasAny = (): boolean => this.#threads !== null;
  async find(id: string): Promise<ReplaySummary | null> {
    return (await this.#found(id))?.replay ?? null;
  }

  async list(question: ReplaysQuestion): Promise<ReplaysPage> {
    if (this.#threads === null) return { replays: [], next: null };
    return (await this.#threads).keeper.ask({ kind: "list", question });
  }

  async ofSessions(projectId: string, sessionIds: readonly string[]): Promise<ReplaysOfSessions> {
    if (this.#threads === null || sessionIds.length === 0) {
      return { found: new Map(), all: [], lastChange: this.lastChangeOf([projectId]) };
    }
    const { keeper } = await this.#threads;
    const question = { kind: "sessions", projectId, sessionIds } as const;
    const { replays, lastChange } = await keeper.ask<FoundOfSessions>(question);
    return { found: bySession(replays), all: replays, lastChange };
  }
  lastChangeOf(projectIds: readonly string[]): number {
    return projectIds.reduce((sum, id) => sum + (this.#changes.get(id) ?? 0), 0);
  }

  async usage(accountId: string, projectId: string, month: string): Promise<ReplayUsage> {
    const none = { replays: 0, storedBytes: 0 };
    if (this.#threads === null) return { ...none, account: none };
    const { keeper } = await this.#threads;
    return keeper.ask({ kind: "usage", accountId, projectId, month });
  }

  async open(id: string): Promise<ViewerLink> {
    const found = await this.#found(id);
    if (found === null || !isPlayable(found.replay)) {
      throw new ApiError(
        "REPLAY_NOT_PLAYABLE",
        "This replay cannot be played: it has no full snapshot, or it was deleted.",
      );
    }
    const expiresAtMs = clock.nowMs() + viewerMs;
    const token = this.#tokens.issue("rvt", { id, number: found.number }, expiresAtMs);
    return { token, expiresAtMs, replay: found.replay };
  }

  view(token: string): Promise<ReplaySummary> {
    return viewedReplay(this.#threads, this.#tokens, token);
  }
  async segments(id: string, after: number): Promise<SegmentsPage> {
    const { keeper } = await this.threads();
    return keeper.ask({ kind: "segments", id, after });
  }
  async timeline(id: string): Promise<StoredTimeline> {
    const { keeper } = await this.threads();
    return keeper.ask({ kind: "timeline", id });
  }

  async stopProject(projectId: string): Promise<void> {
    if (this.#threads === null) return;
    const { writer } = await this.#threads;
    await inTime(writer.ask({ kind: "stop project", projectId }));
    this.#maintenance?.touch();
  }
  async remove(which: ReplaySelection): Promise<number> {
    if (this.#threads === null) return 0;
    const { writer } = await this.#threads;
    const count = await inTime(writer.ask<number>({ kind: "remove", ...which }));
    this.#maintenance?.touch();
    return count;
  }
  async erase(projectId: string, sessionIds: readonly string[]): Promise<void> {
    if (this.#threads === null) return;
    await eraseSessions(await this.#threads, () => this.tend(), projectId, sessionIds);
  }
  async clean(copyLog: () => Promise<void>): Promise<boolean> {
    if (this.#threads === null) return true;
    return cleanFiles(await this.#threads, copyLog);
  }
  async forget(projectId: string, startedBeforeMs: number): Promise<void> {
    if (this.#threads === null) return;
    await (await this.#threads).writer.ask({ kind: "forget", projectId, startedBeforeMs });
  }
  async projects(): Promise<readonly { readonly id: string; readonly isRecording: boolean }[]> {
    if (this.#threads === null) return [];
    return (await this.#threads).keeper.ask({ kind: "projects" });
  }
  async tend(): Promise<void> {
    if (this.#threads === null) return;
    await this.#threads;
    await this.#maintenance?.run();
  }

  close(): Promise<void> {
    this.#closed ??= this.#end();
    return this.#closed;
  }

  async #end(): Promise<void> {
    await this.#uploads.close();
    this.#storage.close();
    const threads = await this.#threads;
    if (threads === null) return;
    await this.#maintenance?.close();
    await threads.close();
  }

  async #open(): Promise<ReplayThreads> {
    if (this.#closed !== null) throw new ApiError("UNAVAILABLE", "The server is stopping.");
    const threads = await openThreads(
      this.#options,
      this.#starts,
      (error) => this.#failed(error),
      (changes) => {
        for (const { project_id: id, number } of changes) this.#changes.set(id, number);
      },
    );
    this.#maintenance = new Maintenance(threads, this.#options.isClockTrusted);
    const lost = await threads.writer.ask<number>({ kind: "tidy" });
    if (lost > 0) {
      log("warn", "recordings without a file are treated as deleted", { replays: lost });
    }
    this.#maintenance.touch();
    return threads;
  }

  #failed(error: unknown): void {
    if (error instanceof StorageDamaged) this.#storage.damage.note(error.damage);
    else if (error instanceof StorageFailed) this.#storage.failed(error);
  }

  async #commit(segments: readonly SentSegment[]): Promise<readonly GroupOutcome[]> {
    const { writer } = await this.threads();
    const nowMs = clock.nowMs();
    const buffers = segments.map(({ body }) => body);
    return writer.ask({ kind: "segments", nowMs, segments }, buffers);
  }

  async #found(id: string): Promise<Found | null> {
    if (this.#threads === null) return null;
    return (await this.#threads).keeper.ask({ kind: "find", id });
  }
}

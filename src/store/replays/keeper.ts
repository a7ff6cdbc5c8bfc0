import type { Database } from "bun:sqlite";
import { ApiError } from "../../domain/errors";
import {
  replaySegmentsMax,
  viewerJsonBytesMax,
  viewerSegmentsMax,
} from "../../domain/replay/limits";
import type { ReplaySummary } from "../../domain/replay/summary";
import { Timeline, type Told } from "../../domain/replay/timeline";
import type { ReplaysPage, ReplaysQuestion, ReplayUsage, SegmentsPage } from "../replay-port";
import type { ReplayFile, ReplayFiles } from "./files";
import { packed, unpacked } from "./frame";
import type { Sealed } from "./questions";
import {
  BY_ID,
  BY_NUMBER,
  BYTES,
  LAST_CHANGE,
  LISTS,
  OF_SESSIONS,
  PROJECTS,
  SEGMENTS,
  TIMELINE,
  USAGE,
} from "./reads";
import { type SummaryRow, summaryOf } from "./rows";
import { eventsOf } from "./segment";

interface SegmentRow {
  readonly seq: number;
  readonly bytes: number;
  readonly place: number | null;
  readonly frame: Uint8Array | null;
}

/** A replay and what only the server knows of it. */
export interface Found {
  readonly number: number;
  readonly replay: ReplaySummary;
}

export interface FoundOfSessions {
  readonly replays: readonly ReplaySummary[];
  readonly lastChange: number;
}

/** Reads recordings, and puts closed ones into their files. It writes nothing else. */
export class ReplayKeeper {
  constructor(
    private readonly db: Database,
    private readonly files: ReplayFiles,
  ) {}

  close(): void {
    this.db.close();
  }

  find(id: string): Found | null {
    return foundIn(this.db.query(BY_ID).get({ id }));
  }
  findNumber(number: number): Found | null {
    return foundIn(this.db.query(BY_NUMBER).get({ number }));
  }

  list(question: ReplaysQuestion): ReplaysPage {
    const { projectId, sessionId, status, signals, sort, limit, after } = question;
    const { startedFromMs: from, startedBeforeMs: before } = question;
    const least = (name: (typeof signals)[number]): number => (signals.includes(name) ? 1 : 0);
    const rows = this.db.query(LISTS[sort]).all({
      ...{ project: projectId, session: sessionId, status, from, before, limit: limit + 1 },
      rage_clicks: least("rage_clicks"),
      dead_clicks: least("dead_clicks"),
      quick_backs: least("quick_backs"),
      ...{ rank: after?.rank ?? null, started: after?.startedAtMs ?? null, id: after?.id ?? null },
    }) as (SummaryRow & { readonly rank: number })[];
    const shown = rows.slice(0, limit);
    const last = rows.length > limit ? shown[shown.length - 1] : undefined;
    return {
      replays: shown.map(summaryOf),
      next:
        last === undefined ? null : { rank: last.rank, startedAtMs: last.started_at, id: last.id },
    };
  }

  /** Returns the replays of sessions with the number of the last change that they show. */
  ofSessions(project: string, sessionIds: readonly string[]): FoundOfSessions {
    const sessions = JSON.stringify(sessionIds);
    return this.db.transaction(() => {
      const rows = this.db.query(OF_SESSIONS).all({ project, sessions }) as SummaryRow[];
      const last = this.db.query(LAST_CHANGE).get({ project }) as { number: number } | null;
      return { replays: rows.map(summaryOf), lastChange: last?.number ?? 0 };
    })();
  }

  usage(account: string, project: string, month: string): ReplayUsage {
    interface Sums {
      readonly project: number;
      readonly account: number;
    }
    const started = this.db.query(USAGE).get({ account, project, month }) as Sums;
    const bytes = this.db.query(BYTES).get({ account, project }) as Sums;
    return {
      replays: started.project,
      storedBytes: bytes.project,
      account: { replays: started.account, storedBytes: bytes.account },
    };
  }

  projects(): { id: string; isRecording: boolean }[] {
    const rows = this.db.query(PROJECTS).all() as { id: string; isRecording: number }[];
    return rows.map(({ id, isRecording }) => ({ id, isRecording: isRecording === 1 }));
  }

  /** Segments after a number, as JSON, bounded in number and in bytes. Throws NOT_FOUND. */
  segments(id: string, after: number): SegmentsPage {
    const { number, replay } = this.#existing(id);
    const parts: string[] = [];
    let chars = 0;
    let nextAfter: number | null = null;
    for (const { seq, json } of this.#read(number, after, viewerSegmentsMax + 1)) {
      const isFull = parts.length === viewerSegmentsMax || chars + json.length > viewerJsonBytesMax;
      if (isFull && parts.length > 0) {
        nextAfter = after;
        break;
      }
      parts.push(`{"seq":${seq},"events":${json.toString()}}`);
      chars += json.length;
      after = seq;
    }
    return { replay, json: new TextEncoder().encode(`[${parts.join(",")}]`), nextAfter };
  }

  /** What was told when it was sealed, or what there is to tell so far. Throws NOT_FOUND. */
  timeline(id: string): Told & { readonly replay: ReplaySummary } {
    const { number, replay } = this.#existing(id);
    const kept = this.db.query(TIMELINE).get({ number }) as { frame: Uint8Array } | null;
    if (kept !== null) return { replay, ...JSON.parse(unpacked(kept.frame, number).toString()) };
    return { replay, ...this.#tell(number) };
  }

  /** Writes the file of a closed replay. The frames stay in their rows until the writer knows of it. */
  seal(number: number): Sealed {
    const places: [number, number][] = [];
    const bytes = this.files.write(number, this.#framesOf(number, places));
    const told = this.#tell(number);
    const timeline = packed(Buffer.from(JSON.stringify(told)));
    return { number, places, bytes, timeline, counts: told.counts };
  }

  unlink(number: number): void {
    this.files.remove(number);
  }

  /** Yields the frames in order, and notes where each will begin. */
  *#framesOf(number: number, places: [number, number][]): Iterable<Uint8Array> {
    let place = 0;
    for (const { seq, frame } of this.#rows(number, -1, replaySegmentsMax)) {
      if (frame === null) throw new ApiError("NOT_FOUND", "This replay was deleted.");
      places.push([seq, place]);
      place += frame.length;
      yield frame;
    }
  }

  #tell(number: number): Told {
    const timeline = new Timeline();
    for (const { json } of this.#read(number, -1, replaySegmentsMax)) {
      for (const event of eventsOf(json)) timeline.add(event);
    }
    return timeline.end();
  }

  /** One by one, so that a replay never lies in memory as a whole. */
  *#read(number: number, after: number, limit: number): Iterable<{ seq: number; json: Buffer }> {
    let file: ReplayFile | null = null;
    try {
      for (const { seq, bytes, place, frame } of this.#rows(number, after, limit)) {
        if (frame === null) file ??= this.files.open(number);
        const kept = frame ?? file?.read(place ?? 0, bytes) ?? noBytes;
        yield { seq, json: unpacked(kept, number, bytes) };
      }
    } finally {
      file?.close();
    }
  }

  *#rows(number: number, after: number, limit: number): Iterable<SegmentRow> {
    const query = this.db.prepare(SEGMENTS);
    try {
      yield* query.iterate({ number, after, limit }) as Iterable<SegmentRow>;
    } finally {
      query.finalize();
    }
  }

  #existing(id: string): Found {
    const found = this.find(id);
    const status = found?.replay.status;
    if (found !== null && status !== "deleting" && status !== "deleted") return found;
    throw new ApiError("NOT_FOUND", "This replay was deleted.");
  }
}

const noBytes = new Uint8Array();

function foundIn(row: unknown): Found | null {
  if (row === null) return null;
  const found = row as SummaryRow;
  return { number: found.number, replay: summaryOf(found) };
}

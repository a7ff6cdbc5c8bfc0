import { randomBytes } from "node:crypto";
import { minuteMs } from "../../../lib/clock";

/** A session ends when nothing comes for this long. */
export const sessionGapMsMax = 30 * minuteMs;
const openSessionsMax = 1_000_000;
const sessionIdBytes = 16;

/** A session that goes on if its user comes again. */
export interface OpenSession {
  readonly id: string;
  /** The time of its latest event. */
  lastMs: number;
}

/**
 * The sessions of users whose clients name none, by project and user. A user has the live session and the one before
 * it, where items that come late belong: they never end the live one. There are two generations instead of an order of
 * use: when the newer one is full, or as old as a session may be silent, the older one is forgotten.
 */
export class OpenSessions {
  #newer = new Map<string, OpenSession>();
  #older = new Map<string, OpenSession>();
  #begunMs = 0;

  constructor(private readonly generationMax = openSessionsMax / 2) {}

  /** Tells whether an event of this time would go on with a session. */
  isOpen(projectId: string, userId: string, timeMs: number): boolean {
    return keysOf(projectId, userId).some((key) => goesOn(this.#find(key), timeMs));
  }

  /** Returns the session of an event: one that it goes on with, or a new one. */
  join(projectId: string, userId: string, timeMs: number, isNew = false): string {
    const keys = keysOf(projectId, userId);
    for (const key of isNew ? [] : keys) {
      const open = this.#find(key);
      if (!goesOn(open, timeMs)) continue;
      open.lastMs = Math.max(open.lastMs, timeMs);
      this.#newer.set(key, open);
      return open.id;
    }
    return this.#begin(keys, timeMs);
  }

  #begin([liveKey, earlierKey]: Keys, timeMs: number): string {
    const begun = { id: newSessionId(), lastMs: timeMs };
    const live = this.#find(liveKey);
    const isLate = live !== undefined && timeMs < live.lastMs - sessionGapMsMax;
    if (live !== undefined && !isLate) this.#newer.set(earlierKey, live);
    this.#newer.set(isLate ? earlierKey : liveKey, begun);
    return begun.id;
  }

  /**
   * Gives the live session of one id to another, as both are one person, unless the other has begun one since. Both
   * share it from then on: what was sent under the first id before may come after.
   */
  handOver(projectId: string, fromId: string, toId: string): void {
    const [fromKey] = keysOf(projectId, fromId);
    const [toKey] = keysOf(projectId, toId);
    const given = this.#find(fromKey);
    if (given === undefined) return;
    const own = this.#find(toKey);
    const isSuperseded = own !== undefined && own.lastMs - given.lastMs > sessionGapMsMax;
    if (!isSuperseded) this.#newer.set(toKey, given);
  }

  /** Puts a session of before the start back, unless its user has one by now. */
  restore(projectId: string, userId: string, session: OpenSession): void {
    const [key] = keysOf(projectId, userId);
    if (this.#find(key) === undefined) this.#newer.set(key, session);
  }

  /** Forgets what is too old or too much. Called once a request. */
  tidy(nowMs: number): void {
    const isOld = nowMs - this.#begunMs >= sessionGapMsMax || nowMs < this.#begunMs;
    if (!isOld && this.#newer.size < this.generationMax) return;
    this.#older = this.#newer;
    this.#newer = new Map();
    this.#begunMs = nowMs;
  }

  get count(): number {
    return this.#newer.size + this.#older.size;
  }

  #find(key: string): OpenSession | undefined {
    return this.#newer.get(key) ?? this.#older.get(key);
  }
}

const goesOn = (open: OpenSession | undefined, timeMs: number): open is OpenSession =>
  open !== undefined && Math.abs(timeMs - open.lastMs) <= sessionGapMsMax;

/** The live session and the earlier one of a user. */
type Keys = readonly [live: string, earlier: string];

/** No id of a project has a space, or is empty. */
const keysOf = (projectId: string, userId: string): Keys => [
  `${projectId} ${userId}`,
  ` ${projectId} ${userId}`,
];

const newSessionId = (): string => `s_${randomBytes(sessionIdBytes).toString("base64url")}`;

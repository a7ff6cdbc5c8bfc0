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
  readonly lastMs: number;
}

/**
 * The sessions of users whose clients name none, by project and user. There are two generations instead of an order of
 * use: when the newer one is full, or as old as a session may be silent, the older one is forgotten.
 */
export class OpenSessions {
  #newer = new Map<string, OpenSession>();
  #older = new Map<string, OpenSession>();
  #begunMs = 0;

  constructor(private readonly generationMax = openSessionsMax / 2) {}

  /** Tells whether an event of this time would go on with a session. */
  isOpen(projectId: string, userId: string, timeMs: number): boolean {
    return goesOn(this.#find(keyOf(projectId, userId)), timeMs);
  }

  /** Returns the session of an event: the open one, or a new one. */
  join(projectId: string, userId: string, timeMs: number, isNew = false): string {
    const key = keyOf(projectId, userId);
    const open = this.#find(key);
    const continued = !isNew && goesOn(open, timeMs) ? open : undefined;
    const id = continued?.id ?? newSessionId();
    this.#newer.set(key, { id, lastMs: Math.max(continued?.lastMs ?? timeMs, timeMs) });
    return id;
  }

  /**
   * Gives the open session of one id to another, as both are one person. The first keeps it, too: what was sent before
   * may come after.
   */
  handOver(projectId: string, fromId: string, toId: string): void {
    const open = this.#find(keyOf(projectId, fromId));
    if (fromId !== toId && open !== undefined) this.#newer.set(keyOf(projectId, toId), open);
  }

  /** Puts a session of before the start back, unless its user has one by now. */
  restore(projectId: string, userId: string, session: OpenSession): void {
    const key = keyOf(projectId, userId);
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

/** No id of a project has a space. */
const keyOf = (projectId: string, userId: string): string => `${projectId} ${userId}`;

const newSessionId = (): string => `s_${randomBytes(sessionIdBytes).toString("base64url")}`;

import { clock } from "../../lib/clock";
import { describeFault } from "../../lib/fault";
import { log } from "../../lib/log";
import type { StoredEvent, StoredEvents } from "../port";
import { LiveBuffer } from "./live-buffer";

/** Gets the events of a project in order of storing, those of one request at a time. */
export interface Listener {
  matches(event: StoredEvent): boolean;
  /** Takes the events of a commit, at least one. */
  deliver(events: readonly StoredEvent[]): void;
}

/** Hands stored events on: to the buffer of the last minutes, and to those who listen. */
export class Feed {
  readonly buffer: LiveBuffer;
  readonly #isLive: (projectId: string) => boolean;
  readonly #listeners = new Map<string, Set<Listener>>();

  /** `isLive` is false for a project that was deleted. */
  constructor(bytesMax: number, isLive: (projectId: string) => boolean) {
    this.buffer = new LiveBuffer(bytesMax);
    this.#isLive = isLive;
  }

  /** After the commit, before the acknowledgement. Throws nothing: the events are stored whatever happens here. */
  readonly add = (stored: StoredEvents): void => {
    const { projectId } = stored;
    const listeners = this.#listeners.get(projectId);
    attempt(() => {
      // What was on its way when its project was deleted.
      if (!this.buffer.has(projectId) && !this.#isLive(projectId)) return;
      this.buffer.add(stored, clock.nowMs());
    });
    if (listeners === undefined) return;
    attempt(() => {
      const events = stored.read();
      for (const listener of listeners) attempt(() => tell(listener, events));
    });
  };

  /** Returns what ends it. */
  listen(projectId: string, listener: Listener): () => void {
    const listeners = this.#listeners.get(projectId) ?? new Set();
    this.#listeners.set(projectId, listeners);
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) this.#listeners.delete(projectId);
    };
  }

  /** Forgets the projects that are there no more. */
  dropDeleted(): void {
    for (const projectId of this.buffer.projectIds()) {
      if (!this.#isLive(projectId)) this.buffer.drop(projectId);
    }
  }
}

function tell(listener: Listener, events: readonly StoredEvent[]): void {
  const wanted = events.filter((event) => listener.matches(event));
  if (wanted.length > 0) listener.deliver(wanted);
}

/** What fails for one who listens must not keep it from the others. */
function attempt(work: () => void): void {
  try {
    work();
  } catch (error) {
    log("error", "could not send stored events to all live connections", describeFault(error));
  }
}

import { ApiError } from "../../domain/errors";
import { liveConnectionsMax, socketsUnknownMax } from "../../domain/limits";
import type { Deps } from "../../http/deps";
import { describeFault } from "../../http/errors";
import { clock } from "../../lib/clock";
import { log } from "../../lib/log";

/** Why a connection is ended by us; the first five are told by /stream. */
export type EndReason = "inactivity" | "revoked" | "plan" | "project_deleted" | "shutdown" | "slow";

export interface Connection {
  /** Once a second: what is due by time. `isChanged`: accounts or projects may be other than they were. */
  look(nowMs: number, isChanged: boolean): void;
  end(reason: EndReason): void;
}

/** All streams and sockets that are open. The timer runs while there is one. */
export class Connections {
  readonly #deps: Deps;
  readonly #lookEveryMs: number;
  readonly #open = new Set<Connection>();
  readonly #ofAccount = new Map<string, number>();
  #unknown = 0;
  #timer: Timer | null = null;
  #revision = 0;

  constructor(deps: Deps, lookEveryMs: number) {
    this.#deps = deps;
    this.#lookEveryMs = lookEveryMs;
  }

  add(connection: Connection): void {
    this.#open.add(connection);
    this.#deps.metrics.liveConnections = this.#open.size;
    if (this.#timer !== null) return;
    this.#revision = this.#deps.control.revision;
    this.#timer = setInterval(() => this.#look(), this.#lookEveryMs);
  }
  remove(connection: Connection): void {
    this.#open.delete(connection);
    this.#deps.metrics.liveConnections = this.#open.size;
    if (this.#open.size > 0 || this.#timer === null) return;
    clearInterval(this.#timer);
    this.#timer = null;
  }

  /** One of the places of an account. Returns what gives it back; throws STREAM_LIMIT. */
  takePlace(accountId: string): () => void {
    const taken = this.#ofAccount.get(accountId) ?? 0;
    if (taken >= liveConnectionsMax) {
      const message = `An account has a maximum ${liveConnectionsMax} concurrent streams. Close one first.`;
      throw new ApiError("STREAM_LIMIT", message);
    }
    this.#ofAccount.set(accountId, taken + 1);
    return once(() => {
      const left = (this.#ofAccount.get(accountId) ?? 1) - 1;
      if (left === 0) this.#ofAccount.delete(accountId);
      else this.#ofAccount.set(accountId, left);
    });
  }

  /** For a socket whose client has yet to say who it is. Throws UNAVAILABLE when too many have. */
  takeUnknownPlace(): () => void {
    if (this.#unknown >= socketsUnknownMax) {
      const message = "Too many sockets wait for their auth message. Try again in a few seconds.";
      throw new ApiError("UNAVAILABLE", message);
    }
    this.#unknown += 1;
    return once(() => {
      this.#unknown -= 1;
    });
  }

  endAll(reason: EndReason): void {
    for (const connection of this.#open) connection.end(reason);
  }

  #look(): void {
    const { control, feed } = this.#deps;
    const nowMs = clock.nowMs();
    const isChanged = control.revision !== this.#revision;
    this.#revision = control.revision;
    if (isChanged) feed.dropDeleted();
    for (const connection of this.#open) {
      try {
        connection.look(nowMs, isChanged);
      } catch (error) {
        log("error", "a live connection could not be looked after", describeFault(error));
      }
    }
  }
}

function once(work: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) work();
    isDone = true;
  };
}

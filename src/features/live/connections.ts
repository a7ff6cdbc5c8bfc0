import { ApiError } from "../../domain/errors";
import type { Deps } from "../../http/deps";
import { clock } from "../../lib/clock";
import { describeFault } from "../../lib/fault";
import { log } from "../../lib/log";
import { Places } from "../../lib/places";

/** Streams and sockets of an account together. */
export const liveConnectionsMax = 10;
/** Sockets that have not said yet who they are: all together, and of one network. */
export const socketsUnknownMax = 1_024;
export const socketsUnknownPerNetworkMax = 32;

/** The reasons for which we end a connection; /stream tells the first five. */
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
  readonly #ofAccounts = new Places();
  readonly #unknown = new Places();
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
  reserve(accountId: string): () => void {
    if (this.#ofAccounts.takenBy(accountId) >= liveConnectionsMax) {
      const message = `An account can have at maximum ${liveConnectionsMax} concurrent streams. Close one first.`;
      throw new ApiError("STREAM_LIMIT", message);
    }
    return this.#ofAccounts.take(accountId);
  }

  /**
   * Takes a place for a socket whose client has yet to say who it is. Throws UNAVAILABLE when too many have, of its
   * network or in all: silent sockets of one network cannot keep out the others.
   */
  reserveUnknown(network: string): () => void {
    const isNetworkFull = this.#unknown.takenBy(network) >= socketsUnknownPerNetworkMax;
    if (isNetworkFull || this.#unknown.taken >= socketsUnknownMax) {
      const whose = isNetworkFull ? "sockets of your network" : "sockets";
      const message = `Too many ${whose} are waiting for their auth message. Try again in a few seconds.`;
      throw new ApiError("UNAVAILABLE", message);
    }
    return this.#unknown.take(network);
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
        log("error", "could not check a live connection", describeFault(error));
      }
    }
  }
}

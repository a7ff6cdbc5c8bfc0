/*
 * A live connection is asked about again at once.
 * Decision: all connections are checked within a second after any change of accounts or projects, and every 30 s
 * anyway.
 * Because: revoking should not take a minute, and what changed is not known, only that something did.
 * Cost: a few µs per connection and change.
 * Revisit: with thousands of connections.
 */

import { type Caller, isReadable } from "../../domain/caller";
import { ApiError } from "../../domain/errors";
import { callerOfSession, identifyCaller } from "../../http/auth/caller";
import { lacksFactor } from "../../http/auth/fresh-sign-in";
import { showsPeople } from "../../http/auth/rights";
import type { Deps } from "../../http/deps";
import { clock, minuteMs, secondMs } from "../../lib/clock";
import type { Project } from "../../store/control/project-selector";
import type { Audience, Broadcast, Broadcasts } from "./broadcast";
import type { Connections, EndReason } from "./connections";
import type { Subscription } from "./subscription";

export const liveInactivityMs = 30 * minuteMs;
/** A revoked credential must be noticed within 60 s, and a check may be a moment late. */
export const liveRecheckMs = 30 * secondMs;

/** The parts that the connections of an app share. */
export interface Hub {
  readonly deps: Deps;
  readonly connections: Connections;
  readonly broadcasts: Broadcasts;
}

/** The caller who was admitted, and the project. */
export interface Admission {
  readonly caller: Caller;
  /** Looked at again while the connection lasts. */
  readonly credential: Request;
  readonly project: Project;
  readonly subscription: Subscription;
  /** Gives the account's place back. Can be called more than once. */
  readonly release: () => void;
}

/** A connection's right to hear a project: made when it is let in, and asked for again and again. */
export class Authorization {
  #project: Project;
  #subscription: Subscription;
  #broadcast: Broadcast;
  #sinceMs = clock.nowMs();
  #reviewedMs = clock.nowMs();
  readonly #holder: () => Caller | null;
  readonly #release: () => void;
  readonly caller: Caller;

  constructor(
    private readonly hub: Hub,
    private readonly audience: Audience,
    { caller, credential, project, subscription, release }: Admission,
  ) {
    this.#release = release;
    this.caller = caller;
    this.#holder = holderAgain(hub.deps, caller, credential);
    this.#project = project;
    this.#subscription = subscription;
    this.#broadcast = hub.broadcasts.join(project, subscription, audience);
  }

  get project(): Project {
    return this.#project;
  }
  /** Returns what `connected` tells. */
  get connected(): { readonly project: string; readonly filters: Subscription } {
    return { project: this.#project.name, filters: this.#subscription };
  }

  /** Replaces the subscription. */
  change(project: Project, subscription: Subscription): void {
    this.hub.broadcasts.leave(this.#broadcast, this.audience);
    this.#project = project;
    this.#subscription = subscription;
    this.#sinceMs = clock.nowMs();
    this.#broadcast = this.hub.broadcasts.join(project, subscription, this.audience);
  }

  leave(): void {
    this.hub.broadcasts.leave(this.#broadcast, this.audience);
    this.#release();
  }

  /** Returns why the connection has to end, or null. */
  look(nowMs: number, isChanged: boolean): EndReason | null {
    if (isChanged || nowMs - this.#reviewedMs >= liveRecheckMs) {
      this.#reviewedMs = nowMs;
      const reason = this.#review();
      if (reason !== null) return reason;
    }
    this.#broadcast.endSlow();
    const lastMs = Math.max(this.#sinceMs, this.#broadcast.lastMatchMs);
    return nowMs - lastMs >= liveInactivityMs ? "inactivity" : null;
  }

  #review(): EndReason | null {
    const holder = this.#holder();
    if (holder === null) return "revoked";
    if (holder.account.tier !== "pro") return "plan";
    const project = this.hub.deps.control.projects.byId(this.#project.id);
    if (project === undefined) return "project_deleted";
    const mayRead = isReadable(holder, project) && showsPeople(holder) && !lacksFactor(holder);
    if (!mayRead) return "revoked";
    // It may have got another name.
    this.#project = project;
    this.#broadcast.projectName = project.name;
    return null;
  }
}

/** Finds the present holder of the same credential, with present rights; null when nobody holds it. */
function holderAgain(deps: Deps, caller: Caller, credential: Request): () => Caller | null {
  if (caller.kind === "cookie") {
    // The caller is looked up by the hash, and not by the request, as that would renew a cookie that cannot be sent.
    const hash = caller.sessionHash ?? "";
    const { credentials } = deps.control;
    return () => {
      const found = credentials.holderOfSessionIn(caller.account.id, hash, clock.nowMs());
      return found === undefined ? null : callerOfSession(found);
    };
  }
  return () => {
    try {
      return identifyCaller(deps, credential);
    } catch (error) {
      if (error instanceof ApiError && error.code === "INVALID_TOKEN") return null;
      throw error;
    }
  };
}

/**
 * Copies the headers that say who sent a request: the request itself cannot be read any more when its answer is a
 * stream.
 */
export function credentialOf(request: Request): Request {
  const headers = new Headers();
  for (const name of ["authorization", "x-api-key"]) {
    const value = request.headers.get(name);
    if (value !== null) headers.set(name, value);
  }
  return new Request(request.url, { headers });
}

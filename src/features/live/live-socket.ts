import { ApiError, type ErrorCode } from "../../domain/errors";
import { liveHeartbeatMs } from "../../domain/limits";
import type { SocketPeer, Wire } from "../../http/edge/socket";
import type { Unsent } from "../../http/edge/unsent-bytes";
import { untrustedPathsOf } from "../../http/operation/untrusted";
import { clock, secondMs } from "../../lib/clock";
import { describeFault } from "../../lib/fault";
import { log } from "../../lib/log";
import { wireJson } from "../../lib/wire-json";
import { findProject, type Project } from "../../store/control/project-selector";
import { type Admission, Authorization, type Hub } from "./authorization";
import type { SocketAudience } from "./broadcast";
import type { Connection, EndReason } from "./connections";
import { type ClientMessage, parseMessage } from "./messages";
import { SocketMessage } from "./schema";
import { subscriptionOfMessage } from "./subscription";

/** Paths in what `track` and `snapshot` tell. */
const untrusted = untrustedPathsOf({ 101: SocketMessage });

export const socketAuthMs = 5 * secondMs;

/** What a socket was asked for, and how its client is admitted. */
export interface SocketTerms {
  /** The admission; null while the client has not said who it is. */
  readonly admission: Admission | null;
  /** Lets in whoever the first message names. Throws what HTTP would answer. */
  admit(token: string): Admission;
  /** The message that tells a snapshot of a project. */
  snapshot(project: Project, nowMs: number): string;
  /** 0 is off. */
  readonly snapshotSeconds: number;
  /** The place that it has while nobody has said who they are. Can be called more than once. */
  readonly leaveUnknown?: () => void;
}

const closeCodes = {
  shutdown: 1001,
  malformed: 4400,
  revoked: 4401,
  plan: 4403,
  project_deleted: 4404,
  inactivity: 4408,
  slow: 4429,
} as const;

/** Close codes for what HTTP would refuse with a status, after the upgrade. */
const closeCodeOf: Readonly<Partial<Record<ErrorCode, number>>> = {
  AUTH_REQUIRED: 4401,
  INVALID_TOKEN: 4401,
  FORBIDDEN: 4403,
  DEMO_READ_ONLY: 4403,
  PRO_REQUIRED: 4403,
  NOT_FOUND: 4404,
  RATE_LIMITED: 4429,
  STREAM_LIMIT: 4429,
};
const closeReasonBytesMax = 123;

/** One WebSocket of /live/ws. */
export class LiveSocket implements SocketPeer, Connection, SocketAudience {
  readonly kind = "socket";
  #wire: Wire | null = null;
  #authorization: Authorization | null = null;
  readonly #openedMs = clock.nowMs();
  #heartbeatMs = clock.nowMs();
  #snapshotMs = 0;
  #unsent: Unsent | null = null;
  #isClosed = false;

  constructor(
    private readonly hub: Hub,
    private readonly terms: SocketTerms,
  ) {}

  opened(wire: Wire): void {
    this.#wire = wire;
    this.hub.connections.add(this);
    if (this.terms.admission !== null) this.#begin(this.terms.admission);
  }

  received(message: string | Buffer): void {
    if (this.#isClosed) return;
    try {
      const said = parseMessage(message);
      if (said === null) this.#close(closeCodes.malformed, "malformed message");
      else if (this.#authorization === null) this.#introduce(said);
      else this.#answer(said, this.#authorization);
    } catch (error) {
      this.#refuse(error);
    }
  }

  closed(): void {
    if (!this.#isClosed) this.#leave();
    this.#isClosed = true;
  }

  look(nowMs: number, isChanged: boolean): void {
    if (this.#authorization === null) {
      const isLate = nowMs - this.#openedMs >= socketAuthMs;
      if (isLate) this.#close(closeCodes.revoked, "no auth message arrived");
      return;
    }
    this.#unsent?.set(this.#bufferedBytes);
    if (this.#isClosed) return;
    const reason = this.#authorization.look(nowMs, isChanged);
    if (reason === null) this.#sendDue(nowMs);
    else this.end(reason);
  }

  #sendDue(nowMs: number): void {
    if (nowMs - this.#heartbeatMs >= liveHeartbeatMs) {
      this.#heartbeatMs = nowMs;
      this.#send({ type: "heartbeat" });
    }
    const { snapshotSeconds } = this.terms;
    // Looks come a little early or late.
    const isDue = nowMs - this.#snapshotMs > snapshotSeconds * secondMs - secondMs / 2;
    if (snapshotSeconds > 0 && isDue && this.#wire?.getBufferedAmount() === 0) {
      this.#sendSnapshot(nowMs);
    }
  }

  end(reason: EndReason): void {
    this.#close(closeCodes[reason], reason);
  }

  subscribe(topic: string): void {
    this.#wire?.subscribe(topic);
  }
  unsubscribe(topic: string): void {
    if (!this.#isClosed) this.#wire?.unsubscribe(topic);
  }
  endIfBehind(bytes: number): void {
    const waiting = this.#bufferedBytes;
    if (waiting > bytes) this.end("slow");
    else this.#unsent?.set(waiting);
  }
  get #bufferedBytes(): number {
    return this.#wire?.getBufferedAmount() ?? 0;
  }

  #begin(admission: Admission): void {
    this.terms.leaveUnknown?.();
    // `connected` comes before anything that is stored from now on.
    try {
      this.#authorization = new Authorization(this.hub, this, admission);
    } catch (error) {
      admission.release();
      throw error;
    }
    this.#unsent = this.hub.deps.unsent.open(admission.caller.account.id, () => this.#cut());
    this.#send({ type: "connected", ...this.#authorization.connected, untrusted });
    if (this.terms.snapshotSeconds > 0) this.#sendSnapshot(clock.nowMs());
  }

  /** The first message. */
  #introduce(said: ClientMessage): void {
    if (said.type === "auth") this.#begin(this.terms.admit(said.token));
    else this.#close(closeCodes.revoked, "the first message must be auth");
  }

  #answer(said: ClientMessage, authorization: Authorization): void {
    if (said.type === "ping") this.#send({ type: "pong" });
    else if (said.type === "subscribe") {
      const { project: selector, events, filter } = said;
      const { caller, project } = authorization;
      const subscription = subscriptionOfMessage(events, filter);
      const found = selector === null ? project : findProject(this.hub.deps, caller, selector);
      authorization.change(found, subscription);
      this.#send({ type: "connected", ...authorization.connected, untrusted });
    } else throw unexpected(said.type);
  }

  #refuse(error: unknown): void {
    const { code, message } = error instanceof ApiError ? error : faultOf(error);
    const closeCode = closeCodeOf[code];
    if (closeCode === undefined) this.#send({ type: "error", error: code, message });
    else this.#close(closeCode, message);
  }

  #sendSnapshot(nowMs: number): void {
    if (this.#authorization === null) return;
    this.#snapshotMs = nowMs;
    this.#wire?.sendText(this.terms.snapshot(this.#authorization.project, nowMs));
  }

  #send(message: object): void {
    if (!this.#isClosed) this.#wire?.sendText(wireJson(JSON.stringify(message)));
  }

  #close(code: number, reason: string): void {
    if (this.#isClosed) return;
    this.#leave();
    this.#isClosed = true;
    this.#wire?.close(code, Buffer.from(reason).subarray(0, closeReasonBytesMax).toString());
  }
  /** Ends the connection at once: a close frame would wait behind what the client does not take. */
  #cut(): void {
    if (this.#isClosed) return;
    this.#leave();
    this.#isClosed = true;
    this.#wire?.terminate();
  }
  #leave(): void {
    this.#unsent?.close();
    this.terms.leaveUnknown?.();
    this.terms.admission?.release();
    this.#authorization?.leave();
    this.hub.connections.remove(this);
  }
}

const unexpected = (type: "auth" | "unknown"): ApiError =>
  new ApiError(
    "INVALID_BODY",
    type === "auth"
      ? "This socket is already authenticated. Send subscribe or ping."
      : "Unknown message type. Send subscribe or ping.",
    { field: "type" },
  );

function faultOf(error: unknown): ApiError {
  log("error", "could not handle a message on a live socket", describeFault(error));
  return new ApiError("INTERNAL_ERROR", "The server failed to handle this message. Send it again.");
}

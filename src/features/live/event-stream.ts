import { liveFramesBehindMax, liveHeartbeatMs } from "../../domain/limits";
import type { Unsent } from "../../http/edge/unsent-bytes";
import { untrustedPathsOf } from "../../http/operation/untrusted";
import { clock, secondMs } from "../../lib/clock";
import { wireJson } from "../../lib/wire-json";
import { type Admission, Authorization, type Hub } from "./authorization";
import { policyNow, type StreamAudience, streamFrames } from "./broadcast";
import type { Connection, EndReason } from "./connections";
import { LiveEvent } from "./schema";
import { matcherOf } from "./subscription";

/** Paths in what `track` tells. */
const untrusted = untrustedPathsOf({ 200: LiveEvent });

/** The time after which a connection that was closed for not reading is cut. */
const liveHangUpMs = 5 * secondMs;

/** Bytes that wait for the client, and how many frames they count for. */
interface Piece {
  bytes(): Uint8Array;
  /** An approximate bound. */
  readonly size: number;
  readonly frames: number;
}

/** Replayed events are written when the client takes them, at most this number at a time. */
const replayedPerPiece = 500;

/** One GET /stream: what waits for its client, until it hangs up or is hung up on. */
export class EventStream implements Connection, StreamAudience {
  readonly kind = "stream";
  readonly body: ReadableStream<Uint8Array>;
  readonly #request: Request;
  readonly #authorization: Authorization;
  #pieces: Piece[] = [];
  #framesBehind = 0;
  #unsentBytes = 0;
  readonly #unsent: Unsent;
  #wake: (() => void) | null = null;
  #heartbeatMs = clock.nowMs();
  #isEnding = false;
  #isGone = false;

  /** The stream begins with what is buffered after `lastId`, before all that is stored from now on. */
  constructor(
    private readonly hub: Hub,
    request: Request,
    admission: Admission,
    lastId: string | null,
  ) {
    this.#request = request;
    this.#authorization = new Authorization(hub, this, admission);
    this.#unsent = hub.deps.unsent.open(admission.caller.account.id, () => this.end("slow"));
    this.#tell(eventFrame("connected", { ...this.#authorization.connected, untrusted }));
    if (lastId !== null) this.#replay(admission, lastId);
    this.body = new ReadableStream(
      { pull: (controller) => this.#pull(controller), cancel: () => this.#gone() },
      { highWaterMark: 0 },
    );
    // Silence is no reason to hang up; whether somebody listens, heartbeats find out.
    hub.deps.server.setIdle(this.#request, 0);
    this.#request.signal.addEventListener("abort", () => this.#gone());
    hub.connections.add(this);
    if (this.#request.signal.aborted) this.#gone();
  }

  push(bytes: Uint8Array, frames: number): void {
    // Looked at before they are added, so that a large commit by itself puts nobody behind.
    if (this.#isBehind) this.end("slow");
    else this.#add({ bytes: () => bytes, size: bytes.byteLength, frames });
  }

  look(nowMs: number, isChanged: boolean): void {
    const reason = this.#isBehind ? "slow" : this.#authorization.look(nowMs, isChanged);
    if (reason !== null) this.end(reason);
    else if (nowMs - this.#heartbeatMs >= liveHeartbeatMs) {
      this.#heartbeatMs = nowMs;
      this.#tell(":heartbeat\n\n");
    }
  }

  end(reason: EndReason): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    this.#leave();
    // A client that does not read is told nothing more; its connection is cut when its buffers do not empty.
    if (reason === "slow") this.#forget();
    else this.#tell(eventFrame("disconnect", { reason }));
    this.hub.deps.server.setIdle(this.#request, liveHangUpMs / secondMs);
    this.#wake?.();
  }

  get #isBehind(): boolean {
    return this.#framesBehind > liveFramesBehindMax;
  }

  async #pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    while (this.#pieces.length === 0 && !this.#isEnding && !this.#isGone) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    const piece = this.#pieces.shift();
    if (piece === undefined) {
      this.#unsent.close();
      return this.#isGone ? undefined : controller.close();
    }
    this.#framesBehind -= piece.frames;
    this.#unsentBytes -= piece.size;
    this.#unsent.set(this.#unsentBytes);
    controller.enqueue(piece.bytes());
  }

  #replay({ project, subscription }: Admission, lastId: string): void {
    const { buffer } = this.hub.deps.feed;
    const missed = buffer
      .storedAfter(project.id, lastId, clock.nowMs())
      .filter(matcherOf(subscription));
    const policy = policyNow(this.hub.deps, project.id);
    const named = `"project":${JSON.stringify(project.name)}`;
    for (let at = 0; at < missed.length; at += replayedPerPiece) {
      const events = missed.slice(at, at + replayedPerPiece);
      const size = events.reduce((sum, { properties }) => sum + properties.length, 0);
      this.#add({ bytes: () => streamFrames(events, named, policy), size, frames: 0 });
    }
  }

  #tell(text: string): void {
    const bytes = Buffer.from(text);
    this.#add({ bytes: () => bytes, size: bytes.byteLength, frames: 1 });
  }
  #add(piece: Piece): void {
    this.#pieces.push(piece);
    this.#framesBehind += piece.frames;
    this.#unsentBytes += piece.size;
    this.#wake?.();
    this.#unsent.set(this.#unsentBytes);
  }
  #forget(): void {
    this.#pieces = [];
    this.#unsent.close();
  }

  #leave(): void {
    this.#authorization.leave();
    this.hub.connections.remove(this);
  }
  #gone(): void {
    if (this.#isGone) return;
    this.#isGone = true;
    if (!this.#isEnding) this.#leave();
    this.#isEnding = true;
    this.#forget();
    this.#wake?.();
  }
}

const eventFrame = (event: string, data: object): string =>
  `event: ${event}\ndata: ${wireJson(JSON.stringify(data))}\n\n`;

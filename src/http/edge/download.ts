import { hourMs } from "../../lib/clock";
import { describeFault } from "../../lib/fault";
import { log } from "../../lib/log";
import type { ExportStream } from "../../store/exports";
import type { Deps } from "../deps";
import type { Unsent } from "./unsent-bytes";

/** A client that takes nothing for this long is gone. */
const idleSeconds = 60;
/** Nothing is deleted from disk that an export may still read: it must come to an end. */
const exportMsMax = 2 * hourMs;
/** A connection that is to be closed may stand still for this long. */
const hangUpSeconds = 1;
/** The bytes that are handed over at once: what is left waits here, where it is counted. */
const pieceBytes = 64 * 1024;

interface DownloadRequest {
  readonly deps: Pick<Deps, "server" | "unsent">;
  readonly request: Request;
  readonly accountId: string;
  /** Gives the place of the export back. */
  release(): void;
}

/** The body of an export: its next bytes are made when the client has taken the last ones. */
export class Download {
  readonly body: ReadableStream<Uint8Array>;
  #rest: Uint8Array = new Uint8Array(0);
  #isOver = false;
  readonly #timer: Timer;
  readonly #unsent: Unsent;

  constructor(
    private readonly stream: ExportStream,
    private readonly asked: DownloadRequest,
  ) {
    const { deps, request, accountId } = asked;
    this.#unsent = deps.unsent.open(accountId, () => this.#cut());
    this.#timer = setTimeout(() => this.#cut(), exportMsMax);
    this.body = new ReadableStream(
      { pull: (controller) => this.#pull(controller), cancel: () => this.#end() },
      { highWaterMark: 0 },
    );
    deps.server.setIdle(request, idleSeconds);
    request.signal.addEventListener("abort", () => this.#end());
    if (request.signal.aborted) this.#end();
  }

  async #pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    if (this.#rest.byteLength === 0) {
      const next = await this.#next();
      if (next === null) {
        this.#end();
        controller.close();
        return;
      }
      this.#rest = next;
    }
    controller.enqueue(this.#rest.subarray(0, pieceBytes));
    this.#rest = this.#rest.subarray(pieceBytes);
    this.#unsent.set(this.#rest.byteLength);
  }

  /** A regular end would tell the client that the file is complete: one that was cut never comes to it. */
  async #next(): Promise<Uint8Array | null> {
    if (this.#isOver) return cutOff;
    try {
      return await this.stream.next();
    } catch (error) {
      if (!this.#isOver) log("warn", "an export was cut", describeFault(error));
      this.#cut();
      return cutOff;
    }
  }

  #cut(): void {
    this.#end();
    this.asked.deps.server.setIdle(this.asked.request, hangUpSeconds);
  }
  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#unsent.close();
    this.stream.close();
    this.asked.release();
  }
}

const cutOff = new Promise<never>(() => undefined);

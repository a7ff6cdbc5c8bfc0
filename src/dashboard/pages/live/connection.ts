import { actingAccount, call, Refusal } from "../../data/api";
import { serverAddress } from "../../lib/server-path";
import type { Message } from "./messages";

/** The state of the connection that the page shows. */
export type State =
  | { readonly kind: "connecting" }
  | { readonly kind: "live" }
  /** It is tried again by itself. */
  | { readonly kind: "lost"; readonly text: string; readonly retryMs: number }
  /** Somebody has to do something first. */
  | { readonly kind: "ended"; readonly text: string; readonly canRetry: boolean };

export interface Listener {
  said(message: Message): void;
  changed(state: State): void;
}

const snapshotSeconds = 2;
const retryMsMin = 1_000;
const retryMsMax = 30_000;

/** The server's close codes in words. */
const closings: Readonly<Record<number, { readonly text: string; readonly canRetry: boolean }>> = {
  4403: { text: "Live data needs the Pro plan.", canRetry: false },
  4404: { text: "This project was deleted. Choose another.", canRetry: false },
  4408: { text: "No events arrived for 30 minutes, so the connection was closed.", canRetry: true },
};

/** The socket of one project, opened again whenever it is lost. */
export class LiveConnection {
  #socket: WebSocket | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #retryMs = retryMsMin;

  constructor(
    private readonly projectId: string,
    private readonly listener: Listener,
  ) {}

  open(): void {
    this.close();
    this.listener.changed({ kind: "connecting" });
    const server = serverAddress().replace(/^http/, "ws");
    const query = new URLSearchParams({
      project: this.projectId,
      snapshot: String(snapshotSeconds),
    });
    const acting = actingAccount();
    if (acting !== null) query.set("account", acting);
    const socket = new WebSocket(`${server}/live/ws?${query}`);
    this.#socket = socket;
    let isOpen = false;
    socket.onopen = () => {
      isOpen = true;
      this.#retryMs = retryMsMin;
      this.listener.changed({ kind: "live" });
    };
    socket.onmessage = ({ data }) => this.listener.said(JSON.parse(data));
    socket.onclose = ({ code }) => {
      if (this.#socket === socket) void this.#closed(code, isOpen);
    };
  }

  close(): void {
    clearTimeout(this.#timer);
    const socket = this.#socket;
    this.#socket = null;
    socket?.close();
  }

  async #closed(code: number, wasOpen: boolean): Promise<void> {
    const closing = closings[code];
    if (closing !== undefined) return this.listener.changed({ kind: "ended", ...closing });
    // A browser does not tell how a handshake was refused; the same question over HTTP does.
    const refusal = wasOpen && code !== 4401 ? null : await this.#refusal();
    if (refusal?.status === 401) {
      location.reload();
      return;
    }
    // 0 is a server that is away, at the second attempt and at each that follows.
    if (refusal !== null && refusal.status !== 0 && refusal.status < 429) {
      this.listener.changed({ kind: "ended", text: refusal.message, canRetry: false });
      return;
    }
    this.#tryLater(refusal?.message ?? textOf(code, wasOpen));
  }

  #tryLater(text: string): void {
    const retryMs = this.#retryMs;
    this.#retryMs = Math.min(2 * retryMs, retryMsMax);
    this.listener.changed({ kind: "lost", text, retryMs });
    this.#timer = setTimeout(() => this.open(), retryMs);
  }

  async #refusal(): Promise<Refusal | null> {
    try {
      await call({ method: "GET", path: "/live", query: { project: this.projectId } });
      return null;
    } catch (error) {
      return error instanceof Refusal ? error : null;
    }
  }
}

function textOf(code: number, wasOpen: boolean): string {
  if (code === 1001) return "The server is stopping.";
  if (wasOpen) return "The connection was lost.";
  return (
    "Cannot connect. The server may be down, a proxy may block WebSockets, or 10 connections are already " +
    "open."
  );
}

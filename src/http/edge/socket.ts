import type { ServerWebSocket, WebSocketHandler } from "bun";
import { socketMessageBytesMax } from "../../domain/limits";

/** Per socket: 1,000 frames behind, and the largest commit on top. */
const socketBufferBytesMax = 32 * 1024 * 1024;

/** What answers on the socket that a request became. */
export interface SocketPeer {
  opened(wire: Wire): void;
  received(message: string | Buffer): void;
  /** Also when the request could not become a socket: then it was never opened. */
  closed(): void;
}

export type Wire = ServerWebSocket<SocketPeer>;

/** The answer of an operation whose request becomes a WebSocket. */
export class Upgrade {
  constructor(readonly peer: SocketPeer) {}
}

/** A client that is gone without a word is noticed by pings that Bun sends for us. */
const silentSecondsMax = 120;

/** How `Bun.serve` treats sockets. */
export const webSocket: WebSocketHandler<SocketPeer> = {
  // What is a little too long is answered with our own close code, the rest is not read.
  maxPayloadLength: 4 * socketMessageBytesMax,
  // Beyond this Bun would drop messages; a gap is worse than a closed socket.
  backpressureLimit: socketBufferBytesMax,
  closeOnBackpressureLimit: true,
  idleTimeout: silentSecondsMax,
  open: (wire) => wire.data.opened(wire),
  message: (wire, message) => wire.data.received(message),
  close: (wire) => wire.data.closed(),
};

/** Whether a request asks to become a WebSocket. Bun answers another version by itself. */
export const asksForSocket = ({ headers }: Request): boolean =>
  headers.get("upgrade")?.toLowerCase() === "websocket" &&
  headers.get("sec-websocket-version") === "13" &&
  headers.has("sec-websocket-key");

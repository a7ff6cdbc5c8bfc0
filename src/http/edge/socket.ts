import type { ServerWebSocket, WebSocketHandler } from "bun";
import { socketMessageBytesMax } from "../../domain/limits";

/** The buffer of a socket has room for 1,000 waiting frames and the largest commit. */
const socketBufferBytesMax = 32 * 1024 * 1024;

/** The handler of a socket that a request became. */
export interface SocketPeer {
  opened(wire: Wire): void;
  received(message: string | Buffer): void;
  /** Is also called when the request could not become a socket: then it was never opened. */
  closed(): void;
}

export type Wire = ServerWebSocket<SocketPeer>;

/** The answer of an operation whose request becomes a WebSocket. */
export class Upgrade {
  constructor(readonly peer: SocketPeer) {}
}

/** A client that is gone without a word is noticed by pings that Bun sends for us. */
const silentSecondsMax = 120;

/** The settings with which `Bun.serve` treats sockets. */
export const webSocket: WebSocketHandler<SocketPeer> = {
  // Up to this, a message that is too long is answered with our own close code; a longer one is not read.
  maxPayloadLength: 4 * socketMessageBytesMax,
  // Beyond this Bun drops messages; a closed socket is better than a gap.
  backpressureLimit: socketBufferBytesMax,
  closeOnBackpressureLimit: true,
  idleTimeout: silentSecondsMax,
  open: (wire) => wire.data.opened(wire),
  message: (wire, message) => wire.data.received(message),
  close: (wire) => wire.data.closed(),
};

/** Tells whether a request asks to become a WebSocket. Bun answers another version by itself. */
export const asksForSocket = ({ headers }: Request): boolean =>
  headers.get("upgrade")?.toLowerCase() === "websocket" &&
  headers.get("sec-websocket-version") === "13" &&
  headers.has("sec-websocket-key");

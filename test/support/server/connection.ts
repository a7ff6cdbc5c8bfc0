/*
 * The suites on the executable do not use fetch.
 * Decision: e2e and load send bytes on connections of their own.
 * Because: fetch may repeat a request on a lost connection, and then the number of sent requests is unknown.
 * Cost: a small HTTP client in `test/support`.
 */

import type { Socket } from "bun";

export interface Reply {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/** The connection ended before the reply did: whether the request took effect is unknown. */
export class ConnectionLost extends Error {}

/**
 * One HTTP/1.1 connection, for one request at a time (Bun's server closes a connection that pipelines). Unlike `fetch`
 * it never repeats a request by itself and never shares a socket, so that a test knows what was sent how often.
 */
export class Connection {
  #received = Buffer.alloc(0);
  #unsent: Buffer[] = [];
  #waiting: { resolve(reply: Reply): void; reject(reason: Error): void } | null = null;
  #socket: Socket | null = null;
  #isClosed = false;
  /** Resolves when either side has closed the connection. */
  readonly closed: Promise<void>;
  #onClosed: () => void = () => undefined;

  private constructor() {
    this.closed = new Promise((resolve) => {
      this.#onClosed = resolve;
    });
  }

  static async open(url: string): Promise<Connection> {
    const { hostname, port } = new URL(url);
    const connection = new Connection();
    connection.#socket = await Bun.connect({
      hostname,
      port: Number(port),
      socket: {
        data: (_, bytes) => connection.#take(bytes),
        drain: () => connection.#flush(),
        end: () => connection.#lose(),
        close: () => connection.#lose(),
        error: () => connection.#lose(),
      },
    });
    return connection;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Sends a whole request, as `requestText` makes it. Rejects with ConnectionLost. */
  send(request: string | Uint8Array): Promise<Reply> {
    if (this.#isClosed) return Promise.reject(new ConnectionLost("The connection is closed."));
    return new Promise((resolve, reject) => {
      if (this.#waiting !== null) throw new Error("The request before is not answered yet.");
      this.#waiting = { resolve, reject };
      this.sendPart(request);
    });
  }

  /** Sends bytes that do not complete a request. */
  sendPart(bytes: string | Uint8Array): void {
    this.#unsent.push(Buffer.from(bytes));
    this.#flush();
  }

  close(): void {
    this.#socket?.end();
    this.#lose();
  }

  #flush(): void {
    while (this.#socket !== null && !this.#isClosed) {
      const first = this.#unsent[0];
      if (first === undefined) return;
      const written = this.#socket.write(first);
      if (written < first.length) {
        if (written > 0) this.#unsent[0] = first.subarray(written);
        return;
      }
      this.#unsent.shift();
    }
  }

  #take(bytes: Uint8Array): void {
    this.#received =
      this.#received.length === 0 ? Buffer.from(bytes) : Buffer.concat([this.#received, bytes]);
    const parsed = replyIn(this.#received);
    if (parsed === null) return;
    this.#received = this.#received.subarray(parsed.length);
    const waiting = this.#waiting;
    this.#waiting = null;
    waiting?.resolve(parsed.reply);
  }

  #lose(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#waiting?.reject(new ConnectionLost("The connection ended before the reply."));
    this.#waiting = null;
    this.#onClosed();
  }
}

export function requestText(
  method: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  body = "",
): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const length = body === "" ? "" : `Content-Length: ${Buffer.byteLength(body)}\r\n`;
  return `${method} ${path} HTTP/1.1\r\nHost: localhost\r\n${lines.join("")}${length}\r\n${body}`;
}

/** The first whole reply of the bytes, with the number of bytes it takes; null while it is incomplete. */
function replyIn(bytes: Buffer): { readonly reply: Reply; readonly length: number } | null {
  const headEnd = bytes.indexOf("\r\n\r\n");
  if (headEnd < 0) return null;
  const [statusLine = "", ...lines] = bytes.toString("latin1", 0, headEnd).split("\r\n");
  const headers = new Map(
    lines.map((line) => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
    }),
  );
  const status = Number(statusLine.slice(9, 12));
  const start = headEnd + 4;
  const body =
    headers.get("transfer-encoding") === "chunked"
      ? chunkedBody(bytes, start)
      : plainBody(bytes, start, Number(headers.get("content-length") ?? 0));
  if (body === null) return null;
  return { reply: { status, headers, body: body.text }, length: body.end };
}

interface Body {
  readonly text: string;
  readonly end: number;
}

function plainBody(bytes: Buffer, start: number, length: number): Body | null {
  const end = start + length;
  return bytes.length < end ? null : { text: bytes.toString("utf8", start, end), end };
}

function chunkedBody(bytes: Buffer, start: number): Body | null {
  const parts: Buffer[] = [];
  for (let at = start; ; ) {
    const lineEnd = bytes.indexOf("\r\n", at);
    if (lineEnd < 0) return null;
    const size = Number.parseInt(bytes.toString("latin1", at, lineEnd), 16);
    const end = lineEnd + 2 + size + 2;
    if (bytes.length < end) return null;
    if (size === 0) return { text: Buffer.concat(parts).toString("utf8"), end };
    parts.push(bytes.subarray(lineEnd + 2, end - 2));
    at = end;
  }
}

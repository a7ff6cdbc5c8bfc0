import { type Json, noonMs, type TestApp } from "./app";

/** A WebSocket of the tests: messages one after the other, and how it was closed. */
export class SocketReader {
  readonly #socket: WebSocket;
  readonly #messages: Json[] = [];
  #closed: { readonly code: number; readonly reason: string } | null = null;
  #wake = (): void => undefined;

  private constructor(url: string, headers: Readonly<Record<string, string>>) {
    // Bun takes headers, which browsers do not have.
    this.#socket = new WebSocket(url, { headers } as unknown as string[]);
    this.#socket.onmessage = ({ data }) => {
      this.#messages.push(JSON.parse(String(data)) as Json);
      this.#wake();
    };
    this.#socket.onclose = ({ code, reason }) => {
      this.#closed = { code, reason };
      this.#wake();
    };
  }

  /** Opens it; it is closed with 1006 or 1002 when the server refuses. */
  static async open(
    origin: string,
    path: string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<SocketReader> {
    const reader = new SocketReader(`${origin.replace("http", "ws")}${path}`, headers);
    await new Promise<void>((resolve) => {
      reader.#socket.onopen = () => resolve();
      reader.#socket.onerror = () => resolve();
    });
    return reader;
  }

  send(message: unknown): void {
    this.#socket.send(typeof message === "string" ? message : JSON.stringify(message));
  }
  sendBytes(bytes: Uint8Array): void {
    this.#socket.send(bytes);
  }

  /** The next message; fails when the socket is closed instead. */
  async next(): Promise<Json> {
    await this.#until(() => this.#messages.length > 0 || this.#closed !== null);
    const message = this.#messages.shift();
    if (message !== undefined) return message;
    throw new Error(`the socket was closed: ${JSON.stringify(this.#closed)}`);
  }
  async take(count: number): Promise<Json[]> {
    const messages: Json[] = [];
    while (messages.length < count) messages.push(await this.next());
    return messages;
  }

  /** The code and reason of its end. */
  async closed(): Promise<{ readonly code: number; readonly reason: string }> {
    await this.#until(() => this.#closed !== null);
    return this.#closed ?? { code: 0, reason: "" };
  }
  async closeCode(): Promise<number> {
    return (await this.closed()).code;
  }

  close(): void {
    this.#socket.close();
  }

  async #until(isSo: () => boolean): Promise<void> {
    const deadline = performance.now() + 50_000;
    while (!isSo()) {
      if (performance.now() > deadline) throw new Error("nothing came on the socket");
      await Promise.race([
        new Promise<void>((resolve) => {
          this.#wake = resolve;
        }),
        Bun.sleep(50),
      ]);
    }
  }
}

/** Opens sockets of an app that listens, and closes them again. */
export class Sockets {
  readonly #open: SocketReader[] = [];

  constructor(private readonly app: () => TestApp) {}

  /** Opens a socket with the API key, unless there are headers. */
  async open(query: string, headers?: Readonly<Record<string, string>>): Promise<SocketReader> {
    const app = this.app();
    const sent = headers ?? { "x-api-key": app.key };
    const socket = await SocketReader.open(app.listen(), `/live/ws?${query}`, sent);
    this.#open.push(socket);
    return socket;
  }

  /** What HTTP answers to a handshake: status and code. */
  async refusal(query: string, headers: Readonly<Record<string, string>>): Promise<unknown[]> {
    const answer = await fetch(`${this.app().listen()}/live/ws?${query}`, {
      headers: { ...handshake, ...headers },
    });
    return [answer.status, ((await answer.json()) as Json).error];
  }

  /** Closes all sockets, for `afterEach`. */
  async close(): Promise<void> {
    const app = this.app();
    for (const socket of this.#open.splice(0)) socket.close();
    app.setTime(noonMs);
    while (app.deps.metrics.liveConnections > 0) await Bun.sleep(1);
  }
}

export const handshake = {
  Connection: "Upgrade",
  Upgrade: "websocket",
  "Sec-WebSocket-Version": "13",
  "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
};

/*
 * A new certificate gets a listener of its own.
 * Decision: with TLS two listeners share the port while the certificate changes: the new one takes new connections, the
 * old one stops listening and keeps those that it has until they end.
 * Because: Bun cannot change the certificate of a listener, and streams and sockets should not be cut for it.
 * Cost: a connection that arrives in the instant in which the old one closes is reset, and its client connects again.
 * Revisit: when `reload` takes a certificate.
 */

import { type Config, ConfigError } from "./config";
import { hostInUrl } from "./config-addresses";
import type { TlsPair } from "./config-tls";
import { jsonType } from "./http/edge/headers";
import { type SocketPeer, webSocket } from "./http/edge/socket";
import { describeFault } from "./lib/fault";
import { log } from "./lib/log";

/**
 * Bun closes a connection whose head is not complete 12 s after its first byte, and one whose body comes slower than
 * 16 KiB/s this long after the head; it looks every 4 s. So a request is complete within 30 s or gone (body.ts has
 * the rest).
 */
const idleTimeoutSeconds = 25;
/** In this time the old listener has accepted what had connected to it before there was a new one. */
const overlapMs = 50;

type Handle = (request: Request) => Response | Promise<Response>;
type BunListener = Bun.Server<SocketPeer>;
type Address = Pick<Config, "host" | "port">;

/** The port on which the server listens, whatever certificates its connections have. */
export class Listener {
  /** The port that the system chose where PORT is 0. */
  readonly port: number;
  #current: BunListener;
  readonly #all = new Set<BunListener>();
  /** The listener of each request, where there may be several. */
  readonly #owners: WeakMap<Request, BunListener> | null;

  constructor(
    private readonly address: Address,
    private readonly handle: Handle,
    tls: TlsPair | null,
  ) {
    this.#owners = tls === null ? null : new WeakMap();
    this.port = address.port;
    this.#current = this.#listen(tls, false);
    this.port = this.#current.port ?? address.port;
    // A listener that shares its port says nothing of another program there: the first one was alone, so nobody is.
    if (tls !== null) this.#replace(tls);
  }

  /** New connections have this certificate; those that are open stay as they are. */
  useCertificate(tls: TlsPair): void {
    const before = this.#current;
    this.#current = this.#listen(tls, true);
    setTimeout(() => this.#retire(before), overlapMs);
  }

  /** At the start nobody has connected yet, and the port is free for a listener that shares it. */
  #replace(tls: TlsPair): void {
    this.#all.delete(this.#current);
    void this.#current.stop(true);
    this.#current = this.#listen(tls, true);
  }

  #retire(before: BunListener): void {
    void before.stop().then(() => this.#all.delete(before));
  }

  #listen(tls: TlsPair | null, isShared: boolean): BunListener {
    const { port } = this;
    const { host } = this.address;
    try {
      const listener = Bun.serve({
        hostname: host,
        port,
        idleTimeout: idleTimeoutSeconds,
        // Ours are smaller, and answered with a body that names them (body.ts).
        maxRequestBodySize: Number.MAX_SAFE_INTEGER,
        // With `development: false` alone two servers could share a port, and neither would notice.
        development: false,
        reusePort: isShared,
        fetch: (request, owner) => {
          if (this.#owners === null) return this.handle(request);
          this.#owners.set(request, owner);
          return this.handle(withPlainUrl(request));
        },
        websocket: webSocket,
        error: answerFault,
        // Bun speaks no TLS before 1.2.
        ...(tls && { tls: { cert: tls.cert, key: tls.key } }),
      });
      this.#all.add(listener);
      return listener;
    } catch (error) {
      const code =
        error instanceof Error && "code" in error ? String(error.code) : "no reason given";
      throw new ConfigError(notListening(host, port, code));
    }
  }

  addressOf = (request: Request): string | null =>
    this.#ownerOf(request).requestIP(request)?.address ?? null;

  upgrade = (request: Request, peer: SocketPeer, headers: Headers): boolean =>
    this.#ownerOf(request).upgrade(request, { data: peer, headers });

  publish(topic: string, text: string): void {
    for (const listener of this.#all) listener.publish(topic, text);
  }

  setIdle(request: Request, seconds: number): void {
    this.#ownerOf(request).timeout(request, seconds);
  }

  /** Takes no more connections; resolves when the last one has ended. With `isAtOnce` it cuts them. */
  async stop(isAtOnce = false): Promise<void> {
    await Promise.all([...this.#all].map((listener) => listener.stop(isAtOnce)));
  }

  #ownerOf(request: Request): BunListener {
    return this.#owners?.get(request) ?? this.#current;
  }
}

/** The router looks for the path behind `http://`. Nothing reads the scheme: PUBLIC_URL says it. */
function withPlainUrl(request: Request): Request {
  const url = request.url.replace(/^https:/, "http:");
  return Object.defineProperty(request, "url", { value: url, configurable: true });
}

function notListening(host: string, port: number, code: string): string {
  if (code === "EADDRINUSE") {
    return (
      `Another program uses port ${port} on ${hostInUrl(host)}. Stop that program, or set PORT to another ` +
      "port."
    );
  }
  if (code === "EACCES") {
    return (
      `This user is not allowed to listen on port ${port}. Set PORT to a number above 1023 and put a proxy ` +
      "in front."
    );
  }
  return (
    `HOST is "${host}", but this machine does not have that address (${code}). Set HOST=0.0.0.0 to listen ` +
    "on all addresses."
  );
}

/** Routes answer their own faults; this is for one in what is around them. */
function answerFault(fault: Error): Response {
  log("error", "request failed", describeFault(fault));
  const body = { error: "INTERNAL_ERROR", message: "The server failed to answer this request." };
  const headers = { "content-type": jsonType, "x-content-type-options": "nosniff" };
  return new Response(JSON.stringify(body), { status: 500, headers });
}

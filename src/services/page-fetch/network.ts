import { isIP } from "node:net";

/** The way out to the internet: looking up names, and asking one address. Tests bring one of their own. */
export interface Network {
  /** All addresses of a name. Throws when it has none. */
  resolve(hostname: string): Promise<readonly string[]>;
  /** One GET that goes to this address and to no other; the name in the URL is for its headers and certificate. */
  request(url: URL, address: string, signal: AbortSignal, accept?: string): Promise<Response>;
}

/** A network that takes messages too. */
export interface MessageNetwork extends Network {
  /** One POST by the same rules. */
  post(url: URL, address: string, message: Message, signal: AbortSignal): Promise<Response>;
}

export interface Message {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export const internet: MessageNetwork = {
  resolve: async (hostname) =>
    (await Bun.dns.lookup(hostname, { backend: "system" })).map(({ address }) => address),
  request: (url, address, signal, accept) =>
    requestAt(url, { address, port: url.port }, signal, accept),
  post: (url, address, message, signal) =>
    postAt(url, { address, port: url.port }, signal, message),
};

const userAgent = "SightlineScanner/1.0";

export interface Endpoint {
  readonly address: string;
  /** The port, which is empty for the one that the scheme implies. */
  readonly port: string;
}

export const requestAt = (
  url: URL,
  endpoint: Endpoint,
  signal: AbortSignal,
  accept = "text/html",
): Promise<Response> => {
  const headers = { "user-agent": userAgent, accept, "accept-encoding": "gzip" };
  return askAt(url, endpoint, signal, { method: "GET", headers });
};

export const postAt = (
  url: URL,
  endpoint: Endpoint,
  signal: AbortSignal,
  { headers, body }: Message,
): Promise<Response> => askAt(url, endpoint, signal, { method: "POST", headers, body });

interface Request {
  readonly method: "GET" | "POST";
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/**
 * The address stands in the place of the host, so nothing is looked up a second time. Redirects are not followed, and
 * nothing is inflated: who asks bounds both. A connection is never used again, since another name may share it.
 */
function askAt(
  url: URL,
  { address, port }: Endpoint,
  signal: AbortSignal,
  { headers, ...request }: Request,
): Promise<Response> {
  const pinned = new URL(url);
  pinned.hostname = isIP(address) === 6 ? `[${address}]` : address;
  pinned.port = port;
  return fetch(pinned, {
    redirect: "manual",
    keepalive: false,
    decompress: false,
    credentials: "omit",
    ...request,
    headers: { host: url.host, ...headers },
    tls: { serverName: url.hostname },
    signal,
  });
}

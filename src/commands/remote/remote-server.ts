import { readClientConfig } from "../../config";
import { minuteMs } from "../../lib/clock";
import { UsageError } from "../command";
import { RefusedByServer, ServerLost } from "./remote-error";

/** A server checks the hash of a large upload before it answers. */
const answerMsMax = 10 * minuteMs;
/** A stream on which nothing comes for this long is lost. An export looks at the ids of all events first. */
const silenceMsMax = 3 * minuteMs;
/** A gateway answers with one of these for a server that it does not reach. */
const gatewayStatuses: ReadonlySet<number> = new Set([502, 503, 504]);

const badRequest = 400;
/** The codes that say what is wrong with a file. */
const codesOfFiles: ReadonlySet<string> = new Set(["IMPORT_BROKEN", "IMPORT_NO_DATES"]);

export interface RemoteRequest {
  readonly method?: string;
  readonly body?: string | Uint8Array<ArrayBuffer>;
  readonly type?: string;
}

/** A server that a command calls with the owner's key. */
export class RemoteServer {
  constructor(
    private readonly base: string,
    private readonly apiKey: string,
  ) {}

  /** Sends JSON, or nothing, and returns the answer. Throws RefusedByServer, UsageError and ServerLost. */
  async json<Answer>(path: string, method = "GET", body?: object): Promise<Answer> {
    const sent = body === undefined ? {} : { body: JSON.stringify(body), type: "application/json" };
    return this.answer(path, { method, ...sent });
  }
  async answer<Answer>(path: string, request: RemoteRequest): Promise<Answer> {
    const response = await this.send(path, request, AbortSignal.timeout(answerMsMax));
    const text = await this.whole(() => response.text());
    try {
      return JSON.parse(text);
    } catch {
      throw this.notOurs(response.status);
    }
  }

  /** The bytes of a stream. They end with the last one, or with ServerLost. */
  async *bytes(path: string): AsyncGenerator<Uint8Array> {
    const leaving = new AbortController();
    const { body } = await this.send(path, {}, leaving.signal);
    const reader = body?.getReader();
    try {
      for (;;) {
        const next = reader?.read() ?? Promise.resolve({ done: true, value: undefined });
        const { done, value } = await this.whole(() => spoken(next));
        if (done || value === undefined) return;
        yield value;
      }
    } finally {
      leaving.abort();
    }
  }

  private async send(
    path: string,
    { method = "GET", body, type }: RemoteRequest,
    signal: AbortSignal,
  ): Promise<Response> {
    const response = await this.whole(() =>
      fetch(new URL(path, this.base), {
        ...{ method, signal, redirect: "manual" },
        ...(body !== undefined && { body }),
        headers: {
          "x-api-key": this.apiKey,
          ...(type !== undefined && { "content-type": type }),
        },
      }),
    );
    if (response.ok) return response;
    throw await this.refusal(response);
  }
  private async refusal(response: Response): Promise<Error> {
    const { status, headers } = response;
    const answer = await jsonOf(response);
    if (typeof answer?.error === "string") {
      const refused = new RefusedByServer(answer.error, answer);
      // The rest of a request is the command's own: the server does not take a parameter.
      const isUsage = status === badRequest && !codesOfFiles.has(refused.code);
      return isUsage ? new UsageError(refused.message) : refused;
    }
    if (gatewayStatuses.has(status)) return this.lost(`a proxy answers with status ${status}`);
    const elsewhere = headers.get("location");
    if (elsewhere === null) return this.notOurs(status);
    const message = `${this.base} redirects to ${elsewhere}. Pass the address of the server itself as --url.`;
    return new RefusedByServer(`HTTP ${status}`, { message });
  }
  private notOurs(status: number): RefusedByServer {
    const message = `${this.base} does not answer like a Sightline server. Check --url.`;
    return new RefusedByServer(`HTTP ${status}`, { message });
  }
  private async whole<T>(request: () => Promise<T>): Promise<T> {
    try {
      return await request();
    } catch (error) {
      throw this.lost(error instanceof Error ? error.message : String(error));
    }
  }
  private lost(why: string): ServerLost {
    return new ServerLost(
      `The server at ${this.base} cannot be reached, or the connection was lost: ${why}`,
    );
  }
}

async function jsonOf(response: Response): Promise<Readonly<Record<string, unknown>> | null> {
  try {
    const value: unknown = await response.json();
    return typeof value === "object" && value !== null ? { ...value } : null;
  } catch {
    return null;
  }
}

/** Rejects when nothing comes for too long. */
async function spoken<T>(next: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error("the server is silent")), silenceMsMax);
  try {
    return await Promise.race([next, promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** The server of `--url`, or the one on this machine. */
export function remoteServer(written: string | undefined): RemoteServer {
  const { url, apiKey } = readClientConfig();
  const base = URL.canParse(written ?? url) ? new URL(written ?? url) : null;
  if (base === null || !/^https?:$/.test(base.protocol) || base.search !== "" || base.hash !== "") {
    throw new UsageError(
      "Pass --url as the address of the server, such as https://stats.example.com.",
    );
  }
  if (apiKey === null) {
    throw new UsageError("Set SIGHTLINE_API_KEY to the API key of your account.");
  }
  if (!base.pathname.endsWith("/")) base.pathname += "/";
  return new RemoteServer(base.href, apiKey);
}

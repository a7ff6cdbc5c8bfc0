import {
  createServer,
  type IncomingMessage,
  request as requestTo,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";

/**
 * What becomes of a request: it passes, is cut before ClickHouse has it or when ClickHouse has answered, waits, or is
 * answered as a ClickHouse in another state would: refused with a code, or with rows as lines of JSON.
 */
export type Fate =
  | "pass"
  | "cut before"
  | "cut after"
  | { readonly waitMs: number }
  | { readonly waitFor: Promise<void> }
  | { readonly refusedWith: number }
  | { readonly rows: readonly object[] };

export interface Network {
  readonly url: string;
  /** Told the statement of an insert, or an empty text, and all that was sent. */
  fate: (insert: string, body: string) => Fate;
  close(): void;
}

/** A network between the store and ClickHouse, which fails when a test wants it. */
export async function startNetwork(target: string): Promise<Network> {
  const server = createServer(async (request, response) => {
    const body = await bodyOf(request);
    const insert = new URL(request.url ?? "/", target).searchParams.get("query") ?? "";
    const fate = network.fate(insert, body.toString("latin1"));
    if (fate === "cut before") {
      request.socket.destroy();
    } else if (typeof fate === "object" && "refusedWith" in fate) {
      const code = String(fate.refusedWith);
      response.writeHead(500, { "x-clickhouse-exception-code": code }).end("Refused.");
    } else if (typeof fate === "object" && "rows" in fate) {
      response.writeHead(200).end(fate.rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
    } else {
      if (typeof fate === "object")
        await ("waitMs" in fate ? Bun.sleep(fate.waitMs) : fate.waitFor);
      // The client has hung up meanwhile.
      if (request.socket.destroyed) return;
      pass(request, response, body, fate === "cut after");
    }
  });

  const pass = (
    { method, url, headers, socket }: IncomingMessage,
    response: ServerResponse,
    body: Buffer,
    isCut: boolean,
  ): void => {
    const passed = requestTo(new URL(url ?? "/", target), { method, headers }, (answer) => {
      if (isCut) {
        answer.resume();
        answer.on("end", () => socket.destroy());
        return;
      }
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    passed.on("error", () => void response.socket?.destroy());
    passed.end(body);
  };
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const network: Network = {
    url: `http://127.0.0.1:${port}`,
    fate: () => "pass",
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
  return network;
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part);
  return Buffer.concat(parts);
}

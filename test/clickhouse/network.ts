import { createServer, request as requestTo, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** What becomes of a request: it passes, is cut before ClickHouse has it, or when ClickHouse has answered. */
export type Fate = "pass" | "cut before" | "cut after";

export interface Network {
  readonly url: string;
  /** Told the statement of an insert, or an empty text for everything else. */
  fate: (insert: string) => Fate;
  close(): void;
}

/** A network between the store and ClickHouse, which fails when a test wants it. */
export async function startNetwork(target: string): Promise<Network> {
  const server = createServer((request, response) => {
    const insert = new URL(request.url ?? "/", target).searchParams.get("query") ?? "";
    const fate = network.fate(insert);
    if (fate === "cut before") {
      request.socket.destroy();
      return;
    }
    const { method, url, headers } = request;
    const passed = requestTo(new URL(url ?? "/", target), { method, headers }, (answer) => {
      if (fate === "cut after") {
        answer.resume();
        answer.on("end", () => request.socket.destroy());
        return;
      }
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    passed.on("error", () => cut(response));
    request.pipe(passed);
  });
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

const cut = (response: ServerResponse): void => void response.socket?.destroy();

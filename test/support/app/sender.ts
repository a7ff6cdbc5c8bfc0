import type { App } from "../../../src/app";
import type { Call, TestApp } from "./app";
import { expectDescribed } from "./described";
import { signalOfLeaver } from "./leaver";

/** An ordinary visitor's; the agent of what runs the tests would count as automated. */
export const agentOfVisitors =
  "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";

/** A request as the app gets it. The other end of its socket is noted among the peers. */
export function requestOf(
  peers: WeakMap<Request, string | null>,
  method: string,
  path: string,
  { key, headers, body, from = "127.0.0.1", hangsUp = false }: Call = {},
): Request {
  const request = new Request(`http://localhost:3000${path}`, {
    method,
    headers: {
      host: "localhost:3000",
      "user-agent": agentOfVisitors,
      ...(key === undefined ? {} : { "x-api-key": key }),
      ...headers,
    },
    body: isPlain(body) ? (body ?? null) : JSON.stringify(body),
  });
  peers.set(request, from);
  if (hangsUp) Object.defineProperty(request, "signal", { value: signalOfLeaver() });
  return request;
}

const isPlain = (body: unknown): body is string | Uint8Array<ArrayBuffer> | undefined =>
  body === undefined || typeof body === "string" || body instanceof Uint8Array;

/** Any call. Its answer is checked against what the operation says of itself. */
export function sender(app: App, peers: WeakMap<Request, string | null>): TestApp["send"] {
  return async (method, path, call) => {
    const response = await app.handle(requestOf(peers, method, path, call));
    if (response.headers.get("content-type") === "text/event-stream") {
      // It has no end; `open` is for those who want to read it.
      await response.body?.cancel();
      return new Response(null, response);
    }
    const text = await response.clone().text();
    const type = response.headers.get("content-type");
    const { status } = response;
    if (method !== "HEAD") expectDescribed(app.operations, method, path, status, { text, type });
    return response;
  };
}

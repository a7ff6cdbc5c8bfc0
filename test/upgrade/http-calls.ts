import type { Json } from "../support/app/app";
import { visitorAgent } from "../support/app/app";
import { callsWithKey } from "../support/app/calls-with-key";

interface HttpCall {
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON; bytes are sent as they are. */
  readonly body?: unknown;
  readonly isAnonymous?: boolean;
}

export type HttpCalls = ReturnType<typeof httpCalls>;

/** The calls of a client with an API key to a running server. */
export function httpCalls(url: string, key: string) {
  const send = (method: string, path: string, call: HttpCall = {}): Promise<Response> =>
    fetch(`${url}${path}`, {
      method,
      headers: {
        "user-agent": visitorAgent,
        ...(call.isAnonymous === true ? {} : { "x-api-key": key }),
        ...call.headers,
      },
      body: bodyOf(call.body),
    });
  return {
    ...callsWithKey((method, path, call) => send(method, path, call), key),
    send,
    change: async (method: "PUT" | "PATCH", path: string, body: unknown): Promise<Json> => {
      const answer = await send(method, path, { body });
      if (answer.ok) return (await answer.json()) as Json;
      throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    },
  };
}

const bodyOf = (body: unknown): Blob | string | null => {
  if (body === undefined) return null;
  return body instanceof Uint8Array ? new Blob([body.slice()]) : JSON.stringify(body);
};

import { expect } from "bun:test";
import { dayMs } from "../../../src/lib/clock";
import { postAt } from "../../../src/services/page-fetch/network";
import { type Json, noonMs, type TestApp, testApp } from "./app";

export const home = "93.184.216.34";

export interface Taken {
  readonly headers: Headers;
  readonly body: string;
}

/** A receiver, whose answer each test chooses. */
export const taken: Taken[] = [];
export const receiver: {
  answer: (request: Request) => Response | Promise<Response>;
  resolve: (host: string) => Promise<readonly string[]>;
} = { answer: () => new Response(null), resolve: async () => [home] };
const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  idleTimeout: 0,
  fetch: async (request) => {
    taken.push({ headers: request.headers, body: await request.text() });
    return receiver.answer(request);
  },
});

const place = { address: "127.0.0.1", port: String(server.port) };
/** Connections to the public address end at the receiver, and those to any other fail the test. */
const network = {
  resolve: (host: string) => receiver.resolve(host),
  request: () => Promise.reject(new Error("Webhooks only send.")),
  post: (url: URL, address: string, message: Parameters<typeof postAt>[3], signal: AbortSignal) => {
    expect([home, "127.0.0.1"]).toContain(address);
    const plain = new URL(url);
    plain.protocol = "http:";
    return postAt(plain, place, signal, message);
  },
};

export let app: TestApp;
export async function openWebhooks(): Promise<void> {
  app = await testApp({ WEBHOOK_ALLOW_HOSTS: "127.0.0.1:8080, hooks.intra" }, network);
}
export const closeWebhooks = (): Promise<void> => app.close();
export let nowMs = noonMs;
/** Deletes the webhooks of the test before. */
export async function startAfresh(): Promise<void> {
  receiver.answer = () => new Response(null);
  receiver.resolve = async () => [home];
  taken.length = 0;
  for (const { id } of (await get("/webhooks")).webhooks as readonly { id: string }[]) {
    await call("DELETE", `/webhooks/${id}`);
  }
  nowMs += 2 * dayMs;
  app.setTime(nowMs);
}

export const call = (method: string, path: string, body?: unknown) =>
  app.send(method, path, { key: app.key, body });
export const get = async (path: string): Promise<Json> =>
  (await (await call("GET", path)).json()) as Json;
interface Made {
  readonly id: string;
  readonly url?: string;
  readonly secret?: string;
  readonly error?: string;
}
export const make = async (more: Json = {}) => {
  const body = { name: "mine", kind: "signed", url: "https://hooks.example.com/in?a=1", ...more };
  const made = await call("POST", "/webhooks", body);
  const answered = (await made.json()) as Made;
  return { ...answered, status: made.status };
};
export const deliveries = async (id: string) =>
  (await get(`/webhooks/${id}/deliveries`)).deliveries as readonly (Json & { id: string })[];
let projects = 0;
export const cause = async (name = `shop${++projects}`) => {
  await app.makeProject(name);
  await app.deps.webhooks.sendDue();
  return name;
};
export const later = async (ms: number) => {
  nowMs += ms;
  app.setTime(nowMs);
  await app.deps.webhooks.sendDue();
};

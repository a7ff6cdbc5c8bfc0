import type { Network } from "../../src/services/page-fetch/network";
import { type Json, type TestApp, testApp } from "../support/app/app";
import { signUp } from "../support/app/matrix";
import { savedSites } from "./sites";

/** What tests of scans share: an app whose internet is the saved sites, and its calls. */
const environment = { REGISTRATION: "open", DEFAULT_TIER: "free" };
export let app: TestApp;
export let network: ReturnType<typeof savedSites>;
let held: Gate | null;

/** Pages wait while it is closed, so that a test sees scans that run. */
class Gate {
  readonly #opened = Promise.withResolvers<void>();
  waiting = 0;
  open(): void {
    this.#opened.resolve();
  }
  async pass(): Promise<void> {
    this.waiting += 1;
    await this.#opened.promise;
  }
  async holds(count: number): Promise<void> {
    while (this.waiting < count) await Bun.sleep(1);
  }
}

/** A new app on the saved sites, before each test. */
export async function openApp(): Promise<void> {
  network = savedSites();
  held = null;
  const gated: Network = {
    ...network,
    request: async (url, address, signal) => {
      await held?.pass();
      return network.request(url, address, signal);
    },
  };
  app = await testApp(environment, gated);
}
export async function closeApp(): Promise<void> {
  held?.open();
  await app.close();
}

/** Makes pages wait from now on. */
export function hold(): Gate {
  held = new Gate();
  return held;
}
export function release(): void {
  held = null;
}

export const site = "saas-start.example.com";
export interface Answer {
  readonly status: number;
  readonly body: Json & {
    readonly error?: string;
    readonly analysis_id: string;
    readonly resume_token: string;
    readonly preview: Json;
    readonly result: Json;
    readonly agent_handoff: { readonly prompt: string; readonly resume_token: string | null };
    readonly installation: Json & { readonly problems: readonly Json[] };
  };
  readonly retryAfter: string | null;
}
export type By = {
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly from?: string;
};
export async function call(
  method: string,
  path: string,
  body?: Json,
  by: By = {},
): Promise<Answer> {
  const call = { ...by, ...(body === undefined ? {} : { body }) };
  const response = await app.send(method, path, call);
  const retryAfter = response.headers.get("retry-after");
  return { status: response.status, body: (await response.json()) as Answer["body"], retryAfter };
}
export const scan = (body: Json, by?: By) => call("POST", "/website-scans", body, by);
export const cliScan = (body: Json, by?: By) => call("POST", "/cli/website-scans", body, by);
export const read = (id: string, query = "", by?: By) =>
  call("GET", `/website-scans/${id}${query}`, undefined, by);
export const upgrade = (id: string, body: Json, by: By) =>
  call("POST", `/website-scans/${id}/upgrade`, body, by);
export const refusal = ({ status, body }: Answer) => [status, body.error];

let people = 0;
/** Somebody else with an account of the free plan. */
export const person = async (): Promise<By> => ({
  headers: (await signUp(app, `p${++people}@example.com`)).key,
});

import { userAgent } from "../support/server/account";
import { Connection, requestText } from "../support/server/connection";
import type { WireEvent } from "./dataset";

export interface BatchRequest {
  readonly bytes: Uint8Array;
  readonly events: number;
}

export interface Sending {
  readonly events: number;
  readonly seconds: number;
  readonly perSecond: number;
  /** Requests that were answered 503 and sent again. */
  readonly repeats: number;
}

const batchEvents = 100;

/** Batches of 100 per country, for the server takes the country from the request. */
export function* batches(
  token: string,
  events: Iterable<WireEvent>,
  size: number = batchEvents,
): Generator<BatchRequest> {
  const waiting = new Map<string, string[]>();
  for (const { json, country } of events) {
    const batch = waiting.get(country) ?? [];
    if (batch.push(json) === 1) waiting.set(country, batch);
    if (batch.length < size) continue;
    waiting.delete(country);
    yield batchRequest(token, batch, country);
  }
  for (const [country, batch] of waiting) yield batchRequest(token, batch, country);
}

export function batchRequest(
  token: string,
  events: readonly string[],
  country: string,
): BatchRequest {
  const body = `{"token":"${token}","events":[${events.join(",")}]}`;
  const headers = { "User-Agent": userAgent, "CF-IPCountry": country };
  const text = requestText("POST", "/track/batch", headers, body);
  return { bytes: Buffer.from(text), events: events.length };
}

/** What the server needs to be told so that the header above counts. */
export const countryFromHeader = { TRUSTED_PROXIES: "127.0.0.0/8", COUNTRY_HEADER: "CF-IPCountry" };

/**
 * Sends everything as fast as the server takes it: always a request under way on each connection, the next ones made
 * meanwhile. A 503 is obeyed, and the request sent again.
 */
export async function sendAll(
  url: string,
  requests: Iterable<BatchRequest>,
  connections = 24,
): Promise<Sending> {
  const source = requests[Symbol.iterator]();
  let events = 0;
  let repeats = 0;
  const started = performance.now();
  const lane = async (connection: Connection): Promise<void> => {
    for (let next = source.next(); next.done !== true; next = source.next()) {
      repeats += await sendOne(connection, next.value);
      events += next.value.events;
    }
  };
  const lines = await Promise.all(Array.from({ length: connections }, () => Connection.open(url)));
  await Promise.all(lines.map(lane));
  for (const line of lines) line.close();
  const seconds = (performance.now() - started) / 1000;
  return { events, seconds, perSecond: events / seconds, repeats };
}

async function sendOne(connection: Connection, request: BatchRequest): Promise<number> {
  for (let repeats = 0; ; repeats++) {
    const { status, headers, body } = await connection.send(request.bytes);
    if (status === 202) return repeats;
    if (status !== 503) throw new Error(`The server answered ${status}: ${body}`);
    await Bun.sleep(Number(headers.get("retry-after") ?? 1) * 1000);
  }
}

/** Sends at a steady rate until told to stop; resolves with the number of events that were acknowledged. */
export function stream(url: string, requests: Iterator<BatchRequest>, perSecond: number) {
  let isStopped = false;
  const run = async (): Promise<number> => {
    const connection = await Connection.open(url);
    const started = performance.now();
    let events = 0;
    while (!isStopped) {
      const next = requests.next();
      if (next.done === true) break;
      const waitMs = started + (events / perSecond) * 1000 - performance.now();
      if (waitMs > 0) await Bun.sleep(waitMs);
      await sendOne(connection, next.value);
      events += next.value.events;
    }
    connection.close();
    return events;
  };
  const done = run();
  return {
    stop: (): Promise<number> => {
      isStopped = true;
      return done;
    },
  };
}

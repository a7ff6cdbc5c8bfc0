import { attempt } from "./attempt";
import { bytesOf, write } from "./json";
import { server } from "./settings";
import { isHeld } from "./storage";

interface Outgoing {
  readonly path: string;
  readonly text: string;
  /** Counts up to the number of `pausesSeconds`. */
  tries: number;
}

/** Browsers take 64 KiB; the time of sending is written behind the text. */
const requestBytesMax = 65_500;
const pausesSeconds = [1, 5, 30];
const retryAfterSecondsMax = 60;

let outbox: Outgoing[] = [];
let isSending: boolean | undefined;

/** All requests: without cookies. */
export const request = async (path: string, post?: RequestInit): Promise<Response> =>
  fetch(server + path, { credentials: "omit", ...post });

/**
 * Reads the answer to its end: until then browsers count its request as in flight, and refuse the next one. Network
 * errors, and failures of `fetch` itself, give undefined.
 */
const post = async ({ path, text }: Outgoing): Promise<Response | undefined> => {
  let response: Response | undefined;
  try {
    response = await request(path, { method: "POST", body: stamped(text), keepalive: true });
    await response.text();
    return response;
  } catch {
    // The status alone counts, and if there was an answer it is known.
    return response;
  }
};

/** By the same clock as the times of the events: with it the server knows how old they are, however wrong the clock. */
const stamped = (text: string): string => `${text.slice(0, -1)},"sent_at":${Date.now()}}`;

/** Puts into the outbox what fits into a request; what does not is halved, and dropped when it is one thing only. */
export const put = (path: string, items: readonly object[]): void => {
  const half = items.length >> 1;
  const text = write(half ? { events: items } : items[0]);
  if (bytesOf(text) <= requestBytesMax) {
    outbox.push({ path: half ? `${path}/batch` : path, text, tries: 0 });
  } else if (half) {
    put(path, items.slice(0, half));
    put(path, items.slice(half));
  }
};

export const emptyOutbox = (): void => {
  outbox = [];
};

/**
 * A page that is hidden may never run again: everything goes out at once, even what may be under way. That comes last,
 * because browsers take 64 KiB of all together.
 */
export const deliver = (isLeaving: boolean): void => {
  if (isLeaving) {
    if (isSending) outbox.push(...outbox.splice(0, 1));
    outbox = outbox.filter(
      ({ path, text }) =>
        !attempt(() =>
          navigator.sendBeacon(server + path, new Blob([stamped(text)], { type: "text/plain" })),
        ),
    );
    outbox.forEach(post);
  } else sendAll();
};

/**
 * One at a time, because browsers refuse more than 64 KiB of `keepalive` bodies in flight. What is lost is tried again
 * with the same `event_id`s, so that nothing is stored twice.
 */
const sendAll = async (): Promise<void> => {
  if (isSending) return;
  isSending = true;
  while (!isHeld && outbox[0]) {
    const [one] = outbox;
    const response = await post(one);
    const pause = pausesSeconds[one.tries++];
    if (pause && (!response || [429, 503].includes(response.status))) {
      const asked = parseInt((response && response.headers.get("Retry-After")) as string, 10);
      const seconds = asked <= retryAfterSecondsMax ? asked : pause;
      await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
    } else outbox = outbox.filter((other) => other !== one);
  }
  isSending = false;
};

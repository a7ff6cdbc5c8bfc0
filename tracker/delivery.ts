import { attempt } from "./attempt";
import { origin } from "./settings";
import { isHeld } from "./storage";

interface Outgoing {
  readonly path: string;
  readonly text: string;
  /** Counts up to the number of `pausesSeconds`. */
  tries: number;
}

const requestBytesMax = 65_536;
const pausesSeconds = [1, 5, 30];
const retryAfterSecondsMax = 60;

let outbox: Outgoing[] = [];
let isSending: boolean | undefined;

export const bytesOf = (text: string): number => new Blob([text]).size;

/** All requests: without cookies. Network errors, and failures of `fetch` itself, give undefined. */
export const request = async (path: string, post?: RequestInit): Promise<Response | undefined> => {
  try {
    return await fetch(origin + path, { credentials: "omit", ...post });
  } catch {
    return undefined;
  }
};

/** Reads the answer to its end: until then browsers count its request as in flight, and refuse the next one. */
const post = async ({ path, text }: Outgoing): Promise<Response | undefined> => {
  const response = await request(path, { method: "POST", body: text, keepalive: true });
  try {
    await (response as Response).text();
    return response;
  } catch {
    // The status alone counts, and it is known; without a response there was nothing to read.
    return response;
  }
};

/** Puts into the outbox what fits into a request; what does not is halved, and dropped when it is one thing only. */
export const put = (path: string, items: readonly object[]): void => {
  const half = items.length >> 1;
  const text = JSON.stringify(half ? { events: items } : items[0]);
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

/** A page that is hidden may never run again: everything goes out at once, even what may be under way. */
export const deliver = (isLeaving: boolean): void => {
  if (isLeaving) {
    outbox = outbox.filter(
      ({ path, text }) =>
        !attempt(() =>
          navigator.sendBeacon(origin + path, new Blob([text], { type: "text/plain" })),
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

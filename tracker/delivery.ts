import { attempt, later } from "./attempt";
import { origin } from "./settings";
import { isHeld } from "./storage";

interface Outgoing {
  readonly path: string;
  readonly text: string;
  /** Counts up to the number of `pausesSeconds`. */
  tries: number;
  /** In flight, or waiting until it is tried again. */
  busy?: boolean;
}

const requestBytesMax = 65_536;
const pausesSeconds = [1, 5, 30];
const retryAfterSecondsMax = 60;

let outbox: Outgoing[] = [];

export const bytesOf = (text: string): number => new Blob([text]).size;

/** All requests: without cookies, and with a failure of `fetch` itself turned into a network error. */
export const request = (path: string, options?: RequestInit): Promise<Response> =>
  new Promise((resolve) => resolve(fetch(origin + path, { credentials: "omit", ...options })));

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
    outbox = outbox.filter((one) => !beacon(one));
    outbox.forEach(send);
  } else sendNext();
};

/** One at a time: browsers refuse more than 64 KiB of `keepalive` bodies in flight. */
const sendNext = (): void => {
  const [next] = outbox;
  if (!isHeld && next && !next.busy) send(next);
};

const send = (one: Outgoing): void => {
  one.busy = true;
  request(one.path, { method: "POST", body: one.text, keepalive: true }).then(
    (response) => settle(one, response),
    () => settle(one),
  );
};

/** Lost requests are tried again with the same `event_id`s, so that nothing is stored twice. */
const settle = (one: Outgoing, response?: Response): void => {
  const pause = pausesSeconds[one.tries++];
  if (pause && (!response || [429, 503].includes(response.status))) {
    const asked = parseInt((response && response.headers.get("Retry-After")) as string, 10);
    later(asked <= retryAfterSecondsMax ? asked : pause, () => {
      one.busy = false;
      sendNext();
    });
  } else {
    outbox = outbox.filter((other) => other !== one);
    sendNext();
  }
};

const beacon = ({ path, text }: Outgoing): boolean | undefined =>
  attempt(() => navigator.sendBeacon(origin + path, new Blob([text], { type: "text/plain" })));

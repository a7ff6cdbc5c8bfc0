import { attempt } from "./attempt";
import { origin } from "./settings";
import { isHeld } from "./storage";

interface Outgoing {
  readonly path: string;
  readonly text: string;
  failures: number;
  isFlying?: boolean;
}

const requestBytesMax = 65_536;
const pausesSeconds = [1, 5, 30];
const retryAfterSecondsMax = 60;

let outbox: Outgoing[] = [];
let isPausing = false;

/** UTF-8, without asking for an API that may be missing. */
export const bytesOf = (text: string): number =>
  encodeURIComponent(text).replace(/%../g, "_").length;

/** Puts into the outbox what fits into a request; what does not is halved, and dropped when it is one thing only. */
export function put(path: string, items: readonly object[]): void {
  const isBatch = items.length > 1;
  const text = JSON.stringify(isBatch ? { events: items } : items[0]);
  if (bytesOf(text) <= requestBytesMax) {
    outbox.push({ path: isBatch ? `${path}/batch` : path, text, failures: 0 });
  } else if (isBatch) {
    const half = items.length >> 1;
    put(path, items.slice(0, half));
    put(path, items.slice(half));
  }
}

export function emptyOutbox(): void {
  outbox = [];
}

/** A page that is hidden may never run again: everything goes out at once, by the means made for that. */
export function deliver(isLeaving: boolean): void {
  if (isHeld) return;
  if (!isLeaving) {
    if (!isPausing) sendNext();
    return;
  }
  for (const request of outbox.filter(({ isFlying }) => !isFlying)) {
    if (beacon(request)) remove(request);
    else send(request);
  }
}

/** One at a time: browsers refuse more than 64 KiB of `keepalive` bodies in flight. */
function sendNext(): void {
  isPausing = false;
  if (outbox[0] && !outbox.some(({ isFlying }) => isFlying)) send(outbox[0]);
}

function send(request: Outgoing): void {
  request.isFlying = true;
  post(request).then((retryAfter) => {
    request.isFlying = false;
    const pause = pausesSeconds[request.failures++];
    if (retryAfter === undefined || !pause) {
      remove(request);
      sendNext();
    } else {
      isPausing = true;
      const isGiven = retryAfter && Number(retryAfter) <= retryAfterSecondsMax;
      setTimeout(sendNext, (isGiven ? Number(retryAfter) : pause) * 1000);
    }
  });
}

/** Resolves with undefined when that was that, else with what the server says about when to come again. */
const post = ({ path, text }: Outgoing): Promise<string | null | undefined> =>
  new Promise<Response>((resolve) =>
    resolve(
      fetch(origin + path, {
        method: "POST",
        body: text,
        headers: { "Content-Type": "text/plain" },
        credentials: "omit",
        keepalive: true,
      }),
    ),
  ).then(
    ({ status, headers }) =>
      status === 429 || status === 503 ? headers.get("Retry-After") : undefined,
    () => null,
  );

const beacon = ({ path, text }: Outgoing): boolean | undefined =>
  attempt(() => navigator.sendBeacon(origin + path, new Blob([text], { type: "text/plain" })));

function remove(request: Outgoing): void {
  outbox = outbox.filter((other) => other !== request);
}

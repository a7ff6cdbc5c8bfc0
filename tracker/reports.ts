import { attempt } from "./attempt";
import { cutUrl } from "./clean";
import { track } from "./events";
import { listen } from "./listen";
import { feature, setting } from "./settings";

const heartbeatSecondsMin = 15;
const shiftGapMsMax = 1000;
const shiftWindowMsMax = 5000;

interface Shift extends PerformanceEntry {
  readonly value: number;
  readonly hadRecentInput: boolean;
}
interface Interaction extends PerformanceEntry {
  readonly interactionId?: number;
}

let path = "";
let url = "";
let isReported = false;

let paintMs = 0;
let shift = 0;
let shiftWindow = 0;
let shiftBeganMs = 0;
let shiftEndedMs = 0;
let interactions: Record<number, number> = {};

let deepestPx = 0;

let secondsVisible = 0;

/** The new page of a single-page site begins with nothing. */
export function resetReports(): void {
  path = location.pathname;
  url = cutUrl(location.href);
  isReported = false;
  paintMs = shift = shiftWindow = deepestPx = 0;
  shiftEndedMs = -shiftWindowMsMax; // So that the first shift opens a window.
  interactions = {};
}

export function watchReports(): void {
  resetReports();
  feature("vitals", () => {
    observe("largest-contentful-paint", ({ startTime }) => {
      paintMs = startTime;
    });
    observe<Shift>("layout-shift", addShift);
    observe<Interaction>("event", ({ interactionId: id, duration }) => {
      if (id) interactions[id] = Math.max(interactions[id] || 0, duration);
    });
  });
  feature("scroll-depth", () => listen(window, "scroll", lookDown));
  // Counting ticks, because a clock goes on while the computer sleeps.
  if (stepSeconds()) {
    setInterval(() => {
      if (document.visibilityState !== "hidden") secondsVisible++;
    }, 1000);
  }
}

/** Called when the page is hidden, left, or turned. */
export function report(): void {
  const step = stepSeconds();
  const seconds = secondsVisible - (secondsVisible % step);
  if (seconds) {
    secondsVisible -= seconds;
    track("$time_on_page", { path, url, time_on_page: seconds });
  }
  if (isReported) return;
  isReported = true;
  feature("vitals", reportVitals);
  feature("scroll-depth", () => {
    lookDown();
    const depth = (100 * deepestPx) / document.documentElement.scrollHeight;
    track("$scroll_depth", { path, url, scroll_depth: Math.round(Math.min(100, depth)) });
  });
}

function reportVitals(): void {
  const longest = Object.keys(interactions)
    .map((id) => interactions[Number(id)])
    .sort((a, b) => b - a);
  // One in fifty may be slower.
  const inputMs = longest[Math.floor(longest.length / 50)];
  if (!paintMs && !shift && !inputMs) return;
  track("$web_vitals", {
    path,
    url,
    cwv_lcp: paintMs ? Math.round(paintMs) : undefined,
    cwv_cls: Math.round(shift * 1000) / 1000,
    cwv_inp: inputMs && Math.round(inputMs),
  });
}

/** Shifts within a second of each other, five seconds at most, are one; the worst of these counts. */
function addShift({ startTime, value, hadRecentInput }: Shift): void {
  if (hadRecentInput) return;
  if (startTime - shiftEndedMs > shiftGapMsMax || startTime - shiftBeganMs > shiftWindowMsMax) {
    shiftWindow = 0;
    shiftBeganMs = startTime;
  }
  shiftEndedMs = startTime;
  shiftWindow += value;
  shift = Math.max(shift, shiftWindow);
}

function lookDown(): void {
  deepestPx = Math.max(deepestPx, scrollY + innerHeight);
}

function stepSeconds(): number {
  const seconds = Number(setting("heartbeat"));
  return seconds >= 1 ? Math.max(heartbeatSecondsMin, seconds) : 0;
}

function observe<E extends PerformanceEntry>(type: string, use: (entry: E) => void): void {
  attempt(() =>
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) attempt(() => use(entry as E));
    }).observe({ type, buffered: true, durationThreshold: 16 } as PerformanceObserverInit),
  );
}

import { attempt } from "./attempt";
import { isHidden, tell } from "./events";
import { listen } from "./listen";
import { feature, setting } from "./settings";

const heartbeatSecondsMin = 15;
const shiftGapMsMax = 1000;
const shiftWindowMsMax = 5000;

interface Measured extends PerformanceEntry {
  readonly value: number;
  readonly hadRecentInput: boolean;
  readonly interactionId: number;
}

declare global {
  interface Window {
    readonly LayoutShift?: unknown;
  }
  interface PerformanceNavigationTiming {
    readonly activationStart?: number;
  }
}

/** A page that was prerendered begins when it is shown. */
let shownMs = 0;
/** What is measured after the page was hidden for the first time tells of that. */
let hiddenMs: number;

let path: string;
let isReported: boolean;

let paintMs: number | undefined;
let shift: number;
let shiftWindow: number;
let shiftBeganMs: number;
let shiftEndedMs: number;
let inputMs: Record<number, number>;

let deepestPx: number;

let stepSeconds = 0;
let secondsVisible = 0;

/** The new page of a single-page site begins with nothing. */
export const resetReports = (): void => {
  path = location.pathname;
  isReported = false;
  paintMs = undefined;
  shift = deepestPx = 0;
  hiddenMs = isHidden() ? 0 : Number.POSITIVE_INFINITY;
  shiftEndedMs = -shiftGapMsMax;
  inputMs = {};
};

export const watchReports = (): void => {
  resetReports();
  attempt(readBeginning);
  feature("vitals", () => {
    observeSeen("largest-contentful-paint", ({ startTime }) => {
      paintMs = sinceShown(startTime);
    });
    observeSeen("layout-shift", addShift);
    observeSeen("event", ({ interactionId: id, duration }) => {
      if (id) inputMs[id] = Math.max(inputMs[id] || 0, duration);
    });
  });
  feature("scroll-depth", () => listen("scroll", lookDown));
  // Counting ticks, because a clock goes on while the computer sleeps.
  const asked = +setting("heartbeat");
  if (asked >= 1) {
    stepSeconds = Math.max(heartbeatSecondsMin, asked);
    setInterval(() => {
      if (!isHidden()) secondsVisible++;
    }, 1000);
  }
};

/** What happened to the page before this script was loaded. */
const readBeginning = (): void => {
  const [navigation] = performance.getEntriesByType("navigation");
  shownMs = (navigation as PerformanceNavigationTiming).activationStart || 0;
  const isHiding = ({ name, startTime }: PerformanceEntry): boolean =>
    name === "hidden" && startTime >= shownMs;
  hiddenMs = (performance.getEntriesByType("visibility-state").find(isHiding) as PerformanceEntry)
    .startTime;
};

/** Whole milliseconds that somebody waited. */
export const sinceShown = (ms: number): number => Math.max(0, Math.round(ms - shownMs));

/** Sends the report when the page is hidden, left, or turned. */
export const report = (): void => {
  const time_on_page = secondsVisible - (secondsVisible % stepSeconds);
  if (time_on_page) {
    secondsVisible -= time_on_page;
    tell("$time_on_page", { path, time_on_page });
  }
  if (isReported) return;
  isReported = true;
  feature("vitals", () => {
    const longest = Object.values(inputMs).sort((a, b) => b - a);
    // One in fifty may be slower.
    const input = longest[Math.floor(longest.length / 50)];
    tell("$web_vitals", {
      path,
      cwv_lcp: paintMs,
      // A browser that sees no shifts, or a page that was never in sight, cannot say that there were none.
      cwv_cls: window.LayoutShift && hiddenMs ? Math.round(shift * 1000) / 1000 : undefined,
      cwv_inp: input && Math.round(input),
    });
  });
  feature("scroll-depth", () => {
    lookDown();
    const depth = Math.round((100 * deepestPx) / document.documentElement.scrollHeight);
    tell("$scroll_depth", { path, scroll_depth: Math.min(100, depth) });
  });
};

/** Shifts within a second of each other, five seconds at most, are one; the worst of these counts. */
const addShift = ({ startTime, value, hadRecentInput }: Measured): void => {
  if (hadRecentInput) return;
  if (startTime - shiftEndedMs > shiftGapMsMax || startTime - shiftBeganMs > shiftWindowMsMax) {
    shiftWindow = 0;
    shiftBeganMs = startTime;
  }
  shiftEndedMs = startTime;
  shiftWindow += value;
  shift = Math.max(shift, shiftWindow);
};

const lookDown = (): void => {
  deepestPx = Math.max(deepestPx, scrollY + innerHeight);
};

const observeSeen = (type: string, use: (entry: Measured) => void): void =>
  observe(type, (entry) => {
    if (!(entry.startTime < shownMs || entry.startTime >= hiddenMs)) use(entry);
  });

export const observe = <E extends PerformanceEntry = Measured>(
  type: string,
  use: (entry: E) => void,
): void => {
  attempt(() =>
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) attempt(() => use(entry as E));
    }).observe({ type, buffered: true, durationThreshold: 16 } as PerformanceObserverInit),
  );
};

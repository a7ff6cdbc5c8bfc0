import type { TrackerPage } from "./tracker-page";

/** What the script finds in place of the browser's own. */
export function globalsOf(page: TrackerPage): Record<string, unknown> {
  const { window } = page;
  define(window.navigator, "sendBeacon", (url: string, body: SentText) => {
    if (page.takesBeacons) page.send("beacon", url, body.text, {}, body.type);
    return page.takesBeacons;
  });
  return {
    window,
    globalThis: window,
    self: window,
    document: window.document,
    location: window.location,
    history: window.history,
    localStorage: storageOf(page.storage.local),
    sessionStorage: storageOf(page.storage.session),
    screen: { width: page.options.screenWidth ?? 1920, height: 1080 },
    console: { log: (...words: unknown[]) => page.logged.push(words) },
    Date: class extends Date {
      static override now = () => page.nowMs;
    },
    setTimeout: (work: () => void, ms = 0) => page.addTimer(work, ms, null),
    setInterval: (work: () => void, ms: number) => page.addTimer(work, ms, ms),
    clearTimeout: (id: number) => page.dropTimer(id),
    fetch: async (url: string, options: RequestInit = {}) =>
      page.send("fetch", url, String(options.body ?? ""), options, "text/plain"),
    Blob: SentText,
    addEventListener: window.addEventListener.bind(window),
    scrollY: 0,
    innerHeight: 800,
    PerformanceObserver: undefined,
    IntersectionObserver: undefined,
    performance: { getEntriesByType: () => [] },
  };
}

/** A Blob whose text can be read without waiting. */
class SentText {
  readonly text: string;
  readonly type: string;
  readonly size: number;
  constructor(parts: readonly string[], options: { readonly type?: string } = {}) {
    this.text = parts.join("");
    this.type = options.type ?? "";
    this.size = Buffer.byteLength(this.text);
  }
}

export const define = (target: object, name: string, value: unknown): void => {
  Object.defineProperty(target, name, { configurable: true, writable: true, value });
};

/** Stored items are properties too, as in a browser. */
function storageOf(entries: Map<string, string>) {
  const methods = {
    getItem: (key: string) => entries.get(key) ?? null,
    setItem: (key: string, value: string) => void entries.set(key, String(value)),
    removeItem: (key: string) => void entries.delete(key),
  };
  return new Proxy(methods, {
    get: (target, name) => Reflect.get(target, name) ?? entries.get(String(name)),
  });
}

import { Window } from "happy-dom";
import { tracker } from "../../../src/http/pages/assets";
import { define, globalsOf } from "./tracker-globals";

export const { script: trackerScript, source: trackerSource } = tracker;

export interface PageOptions {
  readonly url?: string;
  readonly referrer?: string;
  readonly html?: string;
  readonly title?: string;
  /** Attributes of the script tag; `data-project` and `data-token` are there already, null takes one away. */
  readonly attributes?: Readonly<Record<string, string | null>>;
  readonly agent?: string;
  readonly screenWidth?: number;
  /** Storage that was filled by earlier pages: pass that of another page, to continue its visit. */
  readonly storage?: PageStorage;
  /** Globals in place of the browser's. `undefined` takes one away. */
  readonly globals?: Readonly<Record<string, unknown>>;
  readonly nowMs?: number;
  /** What a request is answered with; a thrown error is a network error. */
  readonly answer?: (request: SentRequest) => Response;
  /** This is called when document, window and storages are there and the script has not yet run. */
  readonly prepare?: (page: TrackerPage) => void;
}

export interface SentRequest {
  readonly by: "fetch" | "beacon";
  readonly url: string;
  readonly path: string;
  readonly text: string;
  readonly options: RequestInit;
  readonly type: string;
}

export interface SentEvent {
  readonly token?: string;
  readonly project: string;
  readonly event: string;
  readonly properties: Record<string, unknown>;
  readonly user_id: string;
  readonly session_id: string;
  readonly timestamp: number;
  readonly event_id: string;
}

export interface PageStorage {
  readonly local: Map<string, string>;
  readonly session: Map<string, string>;
}

export interface Api {
  track(event: unknown, properties?: unknown): void;
  page(name?: unknown): void;
  identify(id: unknown, traits?: unknown): void;
  set(properties: unknown): void;
  experiment(name: string, keys?: readonly string[]): string | null;
  requireConsent(): void;
  grantConsent(): void;
  revokeConsent(): void;
  getIdentity(): { anonymousId: string | null; userId: string | null; sessionId: string | null };
  reset(): void;
  optOut(): void;
  optIn(): void;
}

/** Under one of its two names the API can also be called, as what other libraries put there. */
export type CalledApi = Api & { (...given: unknown[]): unknown; queue?: unknown[][] };

export const token = `aat_${"a1".repeat(24)}`;
export const projectName = "shop";
export const collector = "https://stats.example.org";
const chromeAgent =
  "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36";
const startMs = Date.UTC(2026, 0, 15, 12);

/** A page with the served script on it, whose clock, network and storage are the test's. */
export class TrackerPage {
  readonly window: Window;
  readonly requests: SentRequest[] = [];
  readonly logged: unknown[][] = [];
  readonly storage: PageStorage;
  /** Names of globals that the script looked up. */
  readonly globalsRead = new Set<string>();
  /** Errors that reached the page. */
  readonly thrown: unknown[] = [];
  /** The browser may decline a beacon, for example when too much is under way. */
  takesBeacons = true;
  nowMs: number;
  answer: (request: SentRequest) => Response;
  readonly globals: Record<string, unknown>;
  #timers: Timer[] = [];
  #timerCount = 0;
  #visibility = "visible";

  constructor(readonly options: PageOptions = {}) {
    this.nowMs = options.nowMs ?? startMs;
    this.answer = options.answer ?? defaultAnswer;
    this.storage = options.storage ?? { local: new Map(), session: new Map() };
    this.window = new Window({
      url: options.url ?? "https://shop.example.com/start",
      width: 1280,
      height: 800,
      settings: {
        disableJavaScriptEvaluation: true,
        navigation: { disableMainFrameNavigation: true, disableChildPageNavigation: true },
        navigator: { userAgent: options.agent ?? chromeAgent },
      },
    });
    const { document } = this.window;
    document.head.innerHTML = `<title>Start</title>`;
    document.title = options.title ?? "Start";
    document.body.innerHTML = options.html ?? "";
    const element = document.createElement("script");
    const attributes = {
      src: `${collector}/tracker.js`,
      "data-project": projectName,
      "data-token": token,
    };
    for (const [name, value] of Object.entries({ ...attributes, ...options.attributes })) {
      if (value !== null) element.setAttribute(name, value);
    }
    define(document, "currentScript", element);
    define(document, "referrer", options.referrer ?? "");
    Object.defineProperty(document, "visibilityState", {
      configurable: true,
      get: () => this.#visibility,
    });
    teachValidity(this.window);
    this.globals = { ...globalsOf(this), ...options.globals };
    options.prepare?.(this);
    this.run();
  }

  get api(): Api {
    return (this.window as unknown as { aa: Api }).aa;
  }
  get document() {
    return this.window.document;
  }

  /** Runs the served script, as its script tag does. */
  run(text: string = trackerScript): void {
    const scope = new Proxy(this.globals, {
      has: () => true,
      get: (globals, name) => {
        if (name === Symbol.unscopables) return undefined;
        this.globalsRead.add(String(name));
        if (name in globals) return globals[String(name)];
        const value = Reflect.get(this.window, name) ?? Reflect.get(globalThis, name);
        return typeof value === "function" && !value.prototype ? value.bind(this.window) : value;
      },
    });
    try {
      new Function("scope", `with (scope) { ${text}\n }`)(scope);
    } catch (error) {
      this.thrown.push(error);
    }
  }

  /** Lets time pass: timers that are due run, and what they promised is kept. */
  async wait(ms: number): Promise<void> {
    const endMs = this.nowMs + ms;
    await settled();
    for (;;) {
      const due = this.#timers.filter((timer) => timer.atMs <= endMs).sort(byTime)[0];
      if (due === undefined) break;
      this.nowMs = Math.max(this.nowMs, due.atMs);
      if (due.everyMs === null) this.#timers = this.#timers.filter((timer) => timer !== due);
      else due.atMs += due.everyMs;
      try {
        due.work();
      } catch (error) {
        this.thrown.push(error);
      }
      await settled();
    }
    this.nowMs = endMs;
  }

  hide(): void {
    this.#visibility = "hidden";
    this.fire(this.document, "visibilitychange");
  }
  show(): void {
    this.#visibility = "visible";
    this.fire(this.document, "visibilitychange");
  }
  /** Unloads the page as browsers do on the way to another one. */
  unload(): void {
    this.fire(this.window, "pagehide", { persisted: false });
    this.hide();
  }

  fire(target: unknown, type: string, fields: Record<string, unknown> = {}): void {
    const event = new this.window.Event(type, { bubbles: true, cancelable: true });
    for (const [name, value] of Object.entries(fields)) define(event, name, value);
    (target as EventTarget).dispatchEvent(event as unknown as Event);
  }
  click(selector: string): void {
    const element = this.document.querySelector(selector);
    if (element === null) throw new Error(`nothing on the page is ${selector}`);
    this.fire(element, "click");
  }

  /** Everything sent so far and what still waits, as one list of events. */
  async events(): Promise<SentEvent[]> {
    await this.wait(5_000);
    return this.sentEvents();
  }
  sentEvents(): SentEvent[] {
    return this.requests.filter(({ path }) => path.startsWith("/track")).flatMap(eventsOf);
  }
  async named(name: string): Promise<SentEvent[]> {
    return (await this.events()).filter(({ event }) => event === name);
  }
  identifications(): Record<string, unknown>[] {
    return this.requests
      .filter(({ path }) => path === "/identify")
      .map(({ text }) => JSON.parse(text));
  }

  addTimer(work: () => void, ms: number, everyMs: number | null): number {
    this.#timerCount += 1;
    this.#timers.push({ id: this.#timerCount, atMs: this.nowMs + ms, everyMs, work });
    return this.#timerCount;
  }

  dropTimer(id: number): void {
    this.#timers = this.#timers.filter((timer) => timer.id !== id);
  }

  send(
    by: "fetch" | "beacon",
    url: string,
    text: string,
    options: RequestInit,
    type: string,
  ): Response {
    const request = { by, url, path: new URL(url).pathname, text, options, type };
    this.requests.push(request);
    return this.answer(request);
  }
}

interface Timer {
  readonly id: number;
  atMs: number;
  readonly everyMs: number | null;
  readonly work: () => void;
}
const byTime = (a: Timer, b: Timer): number => a.atMs - b.atMs || a.id - b.id;

export const openPage = (options: PageOptions = {}): TrackerPage => new TrackerPage(options);

/** The next page of the same visitor, in the same tab. */
export const nextPage = (page: TrackerPage, options: PageOptions = {}): TrackerPage =>
  new TrackerPage({ nowMs: page.nowMs, storage: page.storage, ...options });

const defaultAnswer = ({ path }: SentRequest): Response =>
  path === "/experiments/config"
    ? Response.json({ experiments: [] })
    : Response.json({ ok: true, queued: true }, { status: 202 });

function eventsOf({ text }: SentRequest): SentEvent[] {
  const body = JSON.parse(text);
  return Array.isArray(body.events) ? body.events : [body];
}

/** The test DOM knows no `:invalid`, which browsers tell without the events that asking `checkValidity()` fires. */
function teachValidity({ HTMLFormElement }: Window): void {
  const { matches } = HTMLFormElement.prototype;
  HTMLFormElement.prototype.matches = function (selector) {
    return selector === ":invalid" ? !this.checkValidity() : matches.call(this, selector);
  };
}

/** Every promise that can be kept without time passing is kept. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

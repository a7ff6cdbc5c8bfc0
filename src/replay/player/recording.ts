import { type CleanEvent, cleanEvent, eventType, routeTag } from "../cleaning/clean";

/** This is false only in the test that looks at each layer of protection by itself. */
declare const CLEANS: boolean;

interface Data {
  readonly replay: { readonly status: string };
  readonly segments: readonly { readonly seq: number; readonly events: readonly CleanEvent[] }[];
  readonly next_after: number | null;
}

/** The part of a timeline's entry that is shown. Its texts are a stranger's words. */
export interface Entry {
  readonly at_ms: number;
  readonly kind: string;
  readonly element?: string;
  readonly label?: string;
  readonly page?: string;
  readonly event?: string;
  readonly count?: number;
  readonly ms?: number;
}

interface Gap {
  readonly from: number;
  readonly to: number;
}

const gapMsMin = 5_000;
/** Sources of changes that a visitor makes: pointer, click, scroll, input, touch, drag. */
const doings: ReadonlySet<unknown> = new Set([1, 2, 3, 5, 6, 12]);

/** The events of a replay, cleaned, in the order of time. */
export class Recording {
  readonly events: CleanEvent[] = [];
  entries: readonly Entry[] = [];
  status = "";
  #after: number | null = null;
  readonly #base = location.pathname.replace(/\/$/, "");

  /** Fetches the next segments, and hands over their events. True when there are more. */
  async load(take: (event: CleanEvent) => void): Promise<boolean> {
    const query = this.#after === null ? "" : `?after=${this.#after}`;
    const response = await fetch(`${this.#base}/data${query}`);
    if (response.status === 410) throw new Error("This link has expired.");
    if (!response.ok) throw new Error("This replay no longer exists.");
    const { replay, segments, next_after }: Data = await response.json();
    this.status = replay.status;
    for (const { seq, events } of segments) {
      this.#after = Math.max(this.#after ?? 0, seq);
      for (const one of events) {
        const event = CLEANS ? cleanEvent(one) : one;
        if (event !== null) take(event);
      }
    }
    return next_after !== null;
  }

  async loadEntries(): Promise<void> {
    const response = await fetch(`${this.#base}/timeline`);
    if (response.ok) this.entries = (await response.json()).entries;
  }

  get startMs(): number {
    return this.events[0]?.timestamp ?? 0;
  }

  /** One more than the last event has: the library shows what is before a time. */
  get lengthMs(): number {
    const end = this.events.reduce((max, { timestamp }) => Math.max(max, timestamp), 0);
    return Math.max(1, end + 1 - this.startMs);
  }

  /** Events before the first snapshot have no page to happen on. */
  begin(): void {
    const { events } = this;
    events.sort((a, b) => a.timestamp - b.timestamp);
    const first = events.findIndex(({ type }) => type === eventType.fullSnapshot);
    const snapshot = events[first];
    if (snapshot === undefined) throw new Error("This replay has no page content yet.");
    if (events[first - 1]?.type === eventType.meta) {
      events.splice(0, first - 1);
      return;
    }
    const { timestamp } = snapshot;
    const data = { href: "", width: 1_280, height: 800 };
    events.splice(0, first, { type: eventType.meta, timestamp, data });
  }

  /** The addresses of pages and routes, each with its time. */
  get pages(): { readonly at: number; readonly href: string }[] {
    return this.events.flatMap(({ type, timestamp, data }) => {
      const href = type === eventType.meta ? data.href : routeOf(data);
      return typeof href === "string" ? [{ at: timestamp - this.startMs, href }] : [];
    });
  }

  /** Times in which the visitor did nothing. A new page counts as something: it is worth seeing. */
  get gaps(): Gap[] {
    const gaps: Gap[] = [];
    let last = 0;
    for (const { type, timestamp, data } of this.events) {
      const isPage = type === eventType.fullSnapshot || type === eventType.meta;
      if (!isPage && !(type === eventType.incremental && doings.has(data.source))) continue;
      const at = timestamp - this.startMs;
      if (at - last > gapMsMin) gaps.push({ from: last, to: at });
      last = Math.max(last, at);
    }
    // A page may go on by itself long after its visitor has turned away.
    if (this.lengthMs - last > gapMsMin) gaps.push({ from: last, to: this.lengthMs });
    return gaps;
  }
}

function routeOf({ tag, payload }: CleanEvent["data"]): unknown {
  if (tag !== routeTag || typeof payload !== "object" || payload === null) return undefined;
  return "href" in payload ? payload.href : undefined;
}

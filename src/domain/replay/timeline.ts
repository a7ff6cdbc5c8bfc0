/*
 * Signals are counted when a recording is sealed.
 * Decision: rage clicks, dead clicks and quick backs are the entries of the timeline, told once from all segments in
 * order.
 * Because: segments come in any order, and the list must sort by what the timeline shows.
 * Cost: a running replay has no counts; rules of today do not change replays of yesterday.
 */

import { shownPath } from "./label";
import { timelineKeptMax, timelinePageCharsMax } from "./limits";
import { isChoice, PageModel } from "./page-model";
import {
  changeSource,
  eventType,
  type Fields,
  fieldsOf,
  mouseClick,
  numberOf,
  type RecordedEvent,
  routeTag,
  textOf,
} from "./recorded";
import type { SignalCounts } from "./summary";
import type { TimelineEntry } from "./timeline-entry";

/** The entries of a replay's timeline, in order of time. */
export interface Told {
  /** The time of the first recorded event, from which `at_ms` counts. */
  readonly startMs: number;
  readonly endMs: number;
  readonly entries: readonly TimelineEntry[];
  /** Tells whether there were more entries than are kept. */
  readonly isCut: boolean;
  readonly counts: SignalCounts;
}

const rage = { clicks: 3, withinMs: 1_000, px: 30 };
const deadMs = 2_500;
/** A change that something such as a clock made by itself this shortly before a click is no answer to the click. */
const restlessMs = 5_000;
const idleMs = 10_000;
const quickBackMs = 5_000;
const scrollStepPx = 500;
/** Nodes whose last change is remembered. */
const restlessNodesMax = 4_096;

type Draft = { -readonly [K in keyof TimelineEntry]: TimelineEntry[K] } & { isGone?: boolean };

interface Click {
  readonly atMs: number;
  readonly x: number;
  readonly y: number;
  readonly draft: Draft;
}

/**
 * Told event by event, so that a replay never lies in memory as a whole. Counts and entries come from the same look:
 * the list sorts by what the timeline shows.
 */
export class Timeline {
  readonly #page = new PageModel();
  readonly #drafts: Draft[] = [];
  readonly #counts = { rage_clicks: 0, dead_clicks: 0, quick_backs: 0 };
  readonly #changedAtMs = new Map<number, number>();
  #isCut = false;
  #startMs: number | null = null;
  #nowMs = 0;
  #lastActionMs = 0;
  #clicks: Click[] = [];
  /** A click on a button that nothing has answered yet. */
  #open: { readonly atMs: number; readonly draft: Draft } | null = null;
  #scrolled: { readonly atMs: number; px: number } | null = null;
  #deepestPx = 0;
  #typed: { readonly atMs: number; readonly id: number; count: number } | null = null;
  #path: string | null = null;
  #pathBefore: string | null = null;
  #enteredAtMs = 0;

  add({ type, timestamp, data }: RecordedEvent): void {
    if (this.#startMs === null) {
      this.#startMs = timestamp;
      this.#lastActionMs = timestamp;
    }
    // Segments of two tabs may overlap: time does not go back.
    this.#nowMs = Math.max(this.#nowMs, timestamp);
    const isNewPage = type === eventType.meta || type === eventType.snapshot;
    // A page that loads slowly is an answer all the same.
    if (isNewPage || (type === eventType.custom && data.tag === routeTag)) this.#open = null;
    this.#bury();
    if (type === eventType.meta) this.#visit(textOf(data.href));
    else if (type === eventType.custom) this.#route(data);
    else if (type === eventType.snapshot) this.#load(data);
    else if (type === eventType.change) this.#change(data);
  }

  end(): Told {
    this.#bury();
    this.#settle();
    this.#push({ at_ms: this.#at(this.#nowMs), kind: "end" });
    return {
      startMs: this.#startMs ?? 0,
      endMs: this.#nowMs,
      entries: merged(this.#drafts),
      isCut: this.#isCut,
      counts: this.#counts,
    };
  }

  #at(timeMs: number): number {
    return Math.max(0, Math.round(timeMs - (this.#startMs ?? 0)));
  }

  #push(draft: Draft): Draft {
    if (this.#drafts.length < timelineKeptMax || draft.kind === "end") this.#drafts.push(draft);
    else this.#isCut = true;
    return draft;
  }

  #load(data: Fields): void {
    this.#page.load(fieldsOf(data.node));
    this.#changedAtMs.clear();
    this.#deepestPx = 0;
  }

  #route(data: Fields): void {
    if (data.tag !== routeTag) return;
    this.#visit(textOf(fieldsOf(data.payload).href));
  }

  #visit(address: string): void {
    const path = shownPath(address, timelinePageCharsMax);
    if (path === "" || path === this.#path) return;
    // A pause begins when the page is there, not with the click that led to it.
    this.#act();
    this.#settle();
    const isBack = this.#pathBefore === path && this.#nowMs - this.#enteredAtMs < quickBackMs;
    if (isBack) this.#counts.quick_backs++;
    const kind = isBack ? "quick_back" : "page";
    this.#push({ at_ms: this.#at(this.#nowMs), kind, page: path });
    this.#pathBefore = this.#path;
    this.#path = path;
    this.#enteredAtMs = this.#nowMs;
  }

  #change(data: Fields): void {
    const id = numberOf(data.id);
    switch (data.source) {
      case changeSource.nodes:
        this.#touch(this.#page.change(data));
        break;
      case changeSource.mouse:
        if (data.type === mouseClick) this.#click(id, numberOf(data.x), numberOf(data.y));
        break;
      case changeSource.scroll:
        this.#scroll(id, numberOf(data.y));
        break;
      case changeSource.input:
        this.#input(id, textOf(data.text).length);
        break;
      case changeSource.mouseMove:
      case changeSource.touchMove:
        this.#act();
        break;
      case changeSource.resize: {
        const element = `${numberOf(data.width)}×${numberOf(data.height)}`;
        this.#push({ at_ms: this.#at(this.#nowMs), kind: "resize", element });
        break;
      }
      case changeSource.styleRules:
      case changeSource.styleDeclaration:
      case changeSource.adoptedSheets:
        this.#open = null;
    }
  }

  /** Somebody did something, after a pause perhaps. */
  #act(): void {
    const pausedMs = this.#nowMs - this.#lastActionMs;
    if (pausedMs > idleMs) {
      this.#settle();
      this.#push({ at_ms: this.#at(this.#lastActionMs), kind: "idle", ms: Math.round(pausedMs) });
    }
    this.#lastActionMs = this.#nowMs;
  }

  #touch(ids: readonly number[]): void {
    const { atMs } = this.#open ?? { atMs: this.#nowMs };
    const isAnswer = ids.some((id) => {
      const before = this.#changedAtMs.get(id);
      return before === undefined || atMs - before > restlessMs;
    });
    for (const id of ids) this.#changedAtMs.set(id, this.#nowMs);
    if (isAnswer) this.#open = null;
    if (this.#changedAtMs.size > restlessNodesMax) this.#changedAtMs.clear();
  }

  #click(id: number, x: number, y: number): void {
    this.#act();
    this.#settle();
    const atMs = this.#nowMs;
    const target = this.#page.targetOf(id);
    const near = this.#clicks.filter(
      (one) => atMs - one.atMs <= rage.withinMs && Math.hypot(one.x - x, one.y - y) <= rage.px,
    );
    const isRage = !this.#page.takesText(target) && near.length >= rage.clicks - 1;
    const draft = isRage
      ? this.#enrage(near)
      : this.#push({ at_ms: this.#at(atMs), kind: "click", ...this.#page.describe(target) });
    this.#clicks = [...near, { atMs, x, y, draft }];
    this.#open = this.#page.isButton(target) ? { atMs, draft } : null;
  }

  /** The clicks of a burst become one entry, at the time of the first. */
  #enrage(near: readonly Click[]): Draft {
    const raging = near.find(({ draft }) => draft.kind === "rage_click");
    if (raging !== undefined) {
      raging.draft.count = (raging.draft.count ?? 0) + 1;
      return raging.draft;
    }
    this.#counts.rage_clicks++;
    const [first, ...others] = near;
    first.draft.kind = "rage_click";
    first.draft.count = near.length + 1;
    for (const { draft } of others) draft.isGone = true;
    return first.draft;
  }

  /** A click that was not answered in time is dead. */
  #bury(): void {
    if (this.#open === null || this.#nowMs - this.#open.atMs <= deadMs) return;
    if (this.#open.draft.kind === "click") {
      this.#open.draft.kind = "dead_click";
      this.#counts.dead_clicks++;
    }
    this.#open = null;
  }

  #scroll(id: number, y: number): void {
    this.#open = null;
    if (!this.#page.isPage(id)) return;
    this.#act();
    if (y <= this.#deepestPx + scrollStepPx) return;
    this.#deepestPx = y;
    this.#scrolled ??= { atMs: this.#nowMs, px: 0 };
    this.#scrolled.px = Math.round(y);
  }

  #input(id: number, count: number): void {
    this.#act();
    this.#open = null;
    if (this.#typed !== null && this.#typed.id !== id) this.#settle();
    this.#typed ??= { atMs: this.#nowMs, id, count };
    this.#typed.count = count;
  }

  /** Tells what goes on for a while, such as scrolling, when something else begins. */
  #settle(): void {
    const [scrolled, typed] = [this.#scrolled, this.#typed];
    this.#scrolled = null;
    this.#typed = null;
    if (scrolled !== null) {
      this.#push({ at_ms: this.#at(scrolled.atMs), kind: "scroll", px: scrolled.px });
    }
    if (typed === null) return;
    const said = this.#page.describe(typed.id);
    const before = this.#drafts.at(-1);
    // The click that chose it says no more than the choice does.
    const isSaid = before?.kind === "click" && before.label === said.label;
    if (isSaid && before.element === said.element) before.isGone = true;
    const count = isChoice(said.element) ? {} : { count: typed.count };
    this.#push({ at_ms: this.#at(typed.atMs), kind: "input", ...said, ...count });
  }
}

/** Sorts entries by time; equal clicks that follow each other become one entry with their number. */
function merged(drafts: readonly Draft[]): TimelineEntry[] {
  const entries: TimelineEntry[] = [];
  const inOrder = drafts.filter((draft) => draft.isGone !== true).sort(byTime);
  for (const { isGone: _, ...entry } of inOrder) {
    const before = entries.at(-1);
    const isSame =
      entry.kind === "click" &&
      before?.kind === "click" &&
      before.element === entry.element &&
      before.label === entry.label;
    if (isSame) entries[entries.length - 1] = { ...before, count: (before.count ?? 1) + 1 };
    else entries.push(entry);
  }
  return entries;
}

const byTime = (a: TimelineEntry, b: TimelineEntry): number =>
  a.at_ms - b.at_ms || Number(a.kind === "end") - Number(b.kind === "end");

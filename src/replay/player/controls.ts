import { readableText } from "../../lib/readable-text";
import { clock, icon } from "./dom";
import { drawList, drawMarks, markNow, marksOf } from "./happenings";
import type { Page } from "./page";
import type { Recording } from "./recording";
import type { Stage } from "./stage";

const speeds = [0.5, 1, 2, 4, 8] as const;
const tickMs = 100;
const stepMs = 5_000;
/** This much of a pause is shown before and after what is skipped. */
const gapBeforeMs = 800;
const gapAfterMs = 700;
const gapMsMin = 500;
const skippedShownMs = 1_200;
const endMs = 60;
/** A mark this near is the one we are at. */
const nextMs = 250;
const previousMs = 1_000;

/** The viewer's buttons and keys, and what they show. */
export class Controls {
  #isPlaying = false;
  #speed: (typeof speeds)[number] = 1;
  #skips = true;
  #total = 1;
  #gaps: Recording["gaps"] = [];
  #pages: Recording["pages"] = [];

  constructor(
    readonly page: Page,
    readonly recording: Recording,
    readonly stage: Stage,
  ) {
    page.play.addEventListener("click", () => this.toggle());
    page.speed.addEventListener("click", () => this.#setSpeed(this.#speedAfter(1, true)));
    page.skip.addEventListener("click", () => this.#setSkips(!this.#skips));
    page.full.addEventListener("click", showFull);
    page.seek.addEventListener("input", () => this.seek(Number(page.seek.value)));
    addEventListener("keydown", (event) => this.#onKey(event));
    stage.onEnd(() => this.#setPlaying(false));
    setInterval(() => this.#tick(), tickMs);
    this.#setSpeed(speeds.find((one) => String(one) === recall("speed")) ?? 1);
    this.#setSkips(recall("skip") !== "no");
    this.#setPlaying(false);
    this.refresh();
  }

  /** After more has come. */
  refresh(): void {
    this.#total = this.recording.lengthMs;
    this.#gaps = this.recording.gaps;
    this.#pages = this.recording.pages;
    this.page.seek.max = String(this.#total);
    this.page.total.textContent = clock(this.#total);
    drawMarks(this.page, this.recording);
    drawList(this.page, this.recording, (ms) => this.seek(ms));
    this.#show(this.#at);
  }

  toggle(): void {
    if (this.#isPlaying) this.stage.pause();
    else this.stage.play(this.#at >= this.#total - endMs ? 0 : this.#at);
    this.#setPlaying(!this.#isPlaying);
  }

  seek(ms: number): void {
    const to = Math.min(this.#total, Math.max(0, ms));
    if (this.#isPlaying) this.stage.play(to);
    else this.stage.pause(to);
    this.#show(to);
  }

  get #at(): number {
    return Math.min(this.#total, Math.max(0, this.stage.at));
  }

  #tick(): void {
    if (!this.#isPlaying) return;
    const at = this.#at;
    const gap = this.#gaps.find(
      ({ from, to }) => at >= from + gapBeforeMs && at < to - gapAfterMs - gapMsMin,
    );
    if (this.#skips && gap !== undefined) {
      this.stage.play(gap.to - gapAfterMs);
      this.page.skipped.textContent = `Skipped ${Math.round((gap.to - at) / 1_000)} s`;
      this.page.skipped.classList.add("on");
      setTimeout(() => this.page.skipped.classList.remove("on"), skippedShownMs);
    }
    this.#show(this.#at);
  }

  #show(at: number): void {
    const { seek, fill, time, address } = this.page;
    seek.value = String(at);
    seek.setAttribute("aria-valuetext", `${clock(at)} of ${clock(this.#total)}`);
    fill.style.width = `${(at / this.#total) * 100}%`;
    time.textContent = clock(at);
    markNow(this.page, this.recording, at, this.#isPlaying);
    const page = this.#pages.findLast((one) => one.at <= at)?.href ?? "";
    const shown = readableText(page);
    if (address.textContent !== shown) address.textContent = shown;
  }

  #setPlaying(isPlaying: boolean): void {
    this.#isPlaying = isPlaying;
    const label = isPlaying ? "Pause" : "Play";
    this.page.play.replaceChildren(icon(isPlaying ? "pause" : "play"));
    this.page.play.setAttribute("aria-label", label);
    this.page.play.title = `${label} (space)`;
    document.body.dataset.state = isPlaying ? "playing" : "paused";
  }

  #speedAfter(step: 1 | -1, isRound: boolean): (typeof speeds)[number] {
    const next = speeds.indexOf(this.#speed) + step;
    return speeds[isRound ? next % speeds.length : next] ?? this.#speed;
  }

  #setSpeed(speed: (typeof speeds)[number]): void {
    this.#speed = speed;
    this.stage.setSpeed(speed);
    this.page.speed.textContent = `${speed}×`;
    remember("speed", String(speed));
  }

  #setSkips(skips: boolean): void {
    this.#skips = skips;
    this.page.skip.setAttribute("aria-pressed", String(skips));
    remember("skip", skips ? "yes" : "no");
  }

  #jump(direction: 1 | -1): void {
    const marks = marksOf(this.recording);
    const at = this.#at;
    const to =
      direction > 0
        ? marks.find((one) => one > at + nextMs)
        : marks.findLast((one) => one < at - previousMs);
    if (to !== undefined) this.seek(to);
  }

  #onKey(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    // A button that has the focus is pressed by the space bar.
    if (event.target instanceof HTMLButtonElement && event.key === " ") return;
    const act = this.#actOf(event);
    if (act === undefined) return;
    event.preventDefault();
    act();
  }

  #actOf({ key, shiftKey }: KeyboardEvent): (() => void) | undefined {
    if (/^\d$/.test(key)) return () => this.seek((this.#total * Number(key)) / 10);
    const acts: Readonly<Record<string, () => void>> = {
      " ": () => this.toggle(),
      k: () => this.toggle(),
      ArrowLeft: () => (shiftKey ? this.#jump(-1) : this.seek(this.#at - stepMs)),
      ArrowRight: () => (shiftKey ? this.#jump(1) : this.seek(this.#at + stepMs)),
      Home: () => this.seek(0),
      End: () => this.seek(this.#total),
      s: () => this.#setSkips(!this.#skips),
      f: showFull,
      ">": () => this.#setSpeed(this.#speedAfter(1, false)),
      "<": () => this.#setSpeed(this.#speedAfter(-1, false)),
    };
    return acts[key];
  }
}

function showFull(): void {
  if (document.fullscreenElement !== null) void document.exitFullscreen();
  else void document.documentElement.requestFullscreen?.();
}

/** The viewer's preferences, where the browser keeps anything. */
function recall(name: string): string | null {
  try {
    return localStorage.getItem(`replay.${name}`);
  } catch {
    return null;
  }
}
function remember(name: string, value: string): void {
  try {
    localStorage.setItem(`replay.${name}`, value);
  } catch {
    return; // Then it is chosen again next time.
  }
}

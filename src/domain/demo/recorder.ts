import { secondMs } from "../../lib/clock";
import {
  changeSource,
  eventType,
  type Fields,
  mouseClick,
  type RecordedEvent,
} from "../replay/recorded";
import type { Draw } from "./draw";
import { type Frame, frames, type Place, type Screen, screenOf } from "./screen";

/** The recording library's codes for the beginning and the end of a touch. */
const touch = { start: 7, end: 9 } as const;
const movePositions = 8;
const moveMs = 400;
const keyMs = 140;

/** Records what a visitor does on the pages of the demo, in the format of the recorder's script. */
export class DemoRecorder {
  readonly events: RecordedEvent[] = [];
  readonly #frame: Frame;
  readonly #isTouch: boolean;
  readonly #draw: Draw;
  #screen: Screen | null = null;
  #pointer = { x: 200, y: 300 };
  #scrolledPx = 0;

  constructor(draw: Draw, isPhone: boolean) {
    this.#draw = draw;
    this.#isTouch = isPhone;
    this.#frame = isPhone ? frames.mobile : frames.desktop;
  }

  open(path: string, title: string, href: string, atMs: number): void {
    this.#screen = screenOf(path, title, this.#frame);
    this.#scrolledPx = 0;
    this.#add(eventType.meta, atMs, { href, ...this.#frame });
    const { node } = this.#screen;
    this.#add(eventType.snapshot, atMs + 1, { node, initialOffset: { top: 0, left: 0 } });
  }

  /** Scrolls one step down, or from the end back to the top. A page that fits the window does not scroll. */
  read(atMs: number): void {
    const lowestPx = (this.#screen?.heightPx ?? 0) - this.#frame.height;
    const nextPx = this.#scrolledPx + this.#draw.between(260, 520);
    const toPx = this.#scrolledPx >= lowestPx ? 0 : Math.min(nextPx, lowestPx);
    if (toPx !== this.#scrolledPx) this.#scroll(atMs, toPx);
    this.#move(atMs + moveMs, this.#anywhere());
  }

  /** Moves to an element and clicks it `times` in a row. If the page lacks the element, nothing happens. */
  click(key: string, atMs: number, times = 1): void {
    const place = this.#screen?.places.get(key);
    if (place === undefined) return;
    const { x, y } = this.#reach(place, atMs - 2 * moveMs);
    this.#move(atMs - moveMs / 4, { x, y });
    for (let at = 0; at < times; at++) this.#press(place.id, x, y, atMs + at * rageMs);
  }

  type(key: string, atMs: number, characters: number): void {
    const place = this.#screen?.places.get(key);
    if (place === undefined) return;
    for (let count = 1; count <= characters; count++) {
      const [source, text] = [changeSource.input, "*".repeat(count)];
      this.#change(atMs + count * keyMs, { source, id: place.id, text, isChecked: false });
    }
  }

  #press(id: number, x: number, y: number, atMs: number): void {
    const source = changeSource.mouse;
    if (this.#isTouch) {
      this.#change(atMs - 90, { source, type: touch.start, id, x, y });
      this.#change(atMs - 10, { source, type: touch.end, id, x, y });
    }
    this.#change(atMs, { source, type: mouseClick, id, x, y });
  }

  /** Scrolls until the element is in the window. Returns its place there. */
  #reach({ x, y, isFixed }: Place, atMs: number): { readonly x: number; readonly y: number } {
    if (isFixed) return { x, y };
    const { height } = this.#frame;
    const isSeen = y - this.#scrolledPx > height / 10 && y - this.#scrolledPx < height * 0.9;
    if (!isSeen) this.#scroll(atMs, Math.max(0, y - height / 2));
    return { x, y: y - this.#scrolledPx };
  }

  #scroll(atMs: number, y: number): void {
    if (this.#screen === null) return;
    const steps = 5;
    const fromPx = this.#scrolledPx;
    for (let step = 1; step <= steps; step++) {
      const top = Math.round(fromPx + ((y - fromPx) * step) / steps);
      const id = this.#screen.documentId;
      this.#change(atMs + step * 50, { source: changeSource.scroll, id, x: 0, y: top });
    }
    this.#scrolledPx = y;
  }

  /** Between two touches a finger sends no moves. */
  #move(atMs: number, to: { readonly x: number; readonly y: number }): void {
    const from = this.#pointer;
    this.#pointer = { ...to };
    if (this.#isTouch || this.#screen === null) return;
    const id = this.#screen.documentId;
    const positions = Array.from({ length: movePositions }, (_, at) => {
      const share = (at + 1) / movePositions;
      return {
        x: Math.round(from.x + (to.x - from.x) * share),
        y: Math.round(from.y + (to.y - from.y) * share),
        ...{ id, timeOffset: Math.round((share - 1) * moveMs) },
      };
    });
    this.#change(atMs, { source: changeSource.mouseMove, positions });
  }

  #anywhere(): { readonly x: number; readonly y: number } {
    const { width, height } = this.#frame;
    return { x: this.#draw.between(40, width - 40), y: this.#draw.between(90, height - 90) };
  }

  #change(atMs: number, data: Fields): void {
    this.#add(eventType.change, atMs, data);
  }
  #add(type: number, timestamp: number, data: Fields): void {
    this.events.push({ type, timestamp: Math.round(timestamp), data });
  }
}

/** The time between the clicks of a visitor on a button that does not respond. */
const rageMs = 0.22 * secondMs;

import { Replayer } from "@rrweb/replay";
import type { eventWithTime } from "@rrweb/types";
import type { CleanEvent } from "../cleaning/clean";
import type { Page } from "./page";

/** This is true only in the test that looks at what happens without a sandbox. */
declare const UNSAFE_FRAME: boolean;

const hatching = "repeating-linear-gradient(45deg,#e8eaee 0 8px,#f3f4f6 8px 16px)";
const styleRules = [
  `img[data-aa-picture],iframe:empty,video,object,canvas{background:${hatching}!important}`,
  "::selection{background:transparent}",
];
const scaleMax = 1.5;
const marginPx = 24;

/** The library's type names each kind of event; the allow-list has made one of them. */
const isPlayable = (event: CleanEvent): event is CleanEvent & eventWithTime => event.type >= 0;

/** The rebuilt page, in a frame of its own without scripts, as large as there is room. */
export class Stage {
  readonly #player: Replayer;

  constructor(
    readonly page: Page,
    events: readonly CleanEvent[],
  ) {
    this.#player = new Replayer(events.filter(isPlayable), {
      root: page.stage,
      showWarning: false,
      triggerFocus: false,
      mouseTail: { duration: 600, lineCap: "round", lineWidth: 3, strokeStyle: "#2858c5" },
      UNSAFE_replayCanvas: UNSAFE_FRAME,
      insertStyleRules: styleRules,
    });
    const { iframe } = this.#player;
    iframe.setAttribute("title", "The recorded page");
    iframe.setAttribute("tabindex", "-1");
    iframe.setAttribute("inert", "");
    const fit = (): void => this.#fit();
    this.#player.on("resize", fit);
    addEventListener("resize", fit);
    this.#fit();
  }

  get at(): number {
    return this.#player.getCurrentTime();
  }

  add(event: CleanEvent): void {
    if (isPlayable(event)) this.#player.addEvent(event);
  }

  play(at: number): void {
    this.#player.play(at);
  }

  pause(at?: number): void {
    this.#player.pause(at);
  }

  setSpeed(speed: number): void {
    this.#player.setConfig({ speed });
  }

  onEnd(act: () => void): void {
    this.#player.on("finish", act);
  }

  #fit(): void {
    const { iframe, wrapper } = this.#player;
    const width = Number(iframe.getAttribute("width")) || 1;
    const height = Number(iframe.getAttribute("height")) || 1;
    const room = this.page.stage.getBoundingClientRect();
    const scale = Math.min(
      (room.width - marginPx) / width,
      (room.height - marginPx) / height,
      scaleMax,
    );
    wrapper.style.width = `${width}px`;
    wrapper.style.height = `${height}px`;
    wrapper.style.transform = `translate(-50%,-50%) scale(${scale})`;
  }
}

import { record } from "@rrweb/record";
import type { eventWithTime } from "@rrweb/types";
import { attempt } from "./place";
import { type Mirror, pageOf, tidy } from "./tidy";

/** Ends the recording of this page. */
export type Capture = () => void;

const ownMasks = ["[data-aa-replay-mask]", "[contenteditable]:not([contenteditable='false'])"];
const ownBlocks = ["[data-aa-replay-block]"];

/**
 * Fields are masked by tag, not by type: hidden, file and unknown types are inputs too. The library looks the tag up as
 * well.
 */
const maskedTags = { input: true, textarea: true, select: true };

/** Records what the page looks like, from now on and how it changes, without what nobody may see. */
export function capture(
  maskSelectors: readonly string[],
  blockSelectors: readonly string[],
  emit: (event: eventWithTime, mirror: Mirror) => void,
): Capture {
  const mask = known([...ownMasks, ...maskSelectors], "*");
  const block = known([...ownBlocks, ...blockSelectors], "body");
  let page = pageOf(location.href);
  let hasEnded = false;
  const take = (event: eventWithTime): void => {
    // The library emits before `record` has returned, and a little after it was ended.
    if (hasEnded) return;
    tidy(event, record.mirror, { mask, block });
    // It knows loads, not routes.
    const now = pageOf(location.href);
    if (now !== page) {
      page = now;
      emit(routeAt(event.timestamp, page), record.mirror);
    }
    emit(event, record.mirror);
  };
  const stop = record({
    emit: take,
    maskAllInputs: false,
    maskInputOptions: maskedTags,
    maskTextSelector: mask,
    blockSelector: block,
    slimDOMOptions: "all",
    inlineStylesheet: true,
    recordCanvas: false,
    inlineImages: false,
    collectFonts: false,
    recordCrossOriginIframes: false,
    sampling: { mousemove: 50, scroll: 150, input: "last" },
    errorHandler: () => true,
  });
  return () => {
    hasEnded = true;
    stop?.();
  };
}

const routeAt = (timestamp: number, href: string): eventWithTime => ({
  type: 5,
  timestamp,
  data: { tag: "aa-route", payload: { href } },
});

/**
 * Selectors come from people, and browsers differ in what they know. What was to be hidden stays hidden: one that this
 * browser does not know hides everything instead, and the console says so.
 */
const known = (selectors: readonly string[], everything: string): string =>
  selectors
    .map((one) => {
      const probe = document.createElement("aa-probe");
      // The selector is tried within a list, as it is used: an open bracket or quote would swallow those that follow.
      if (attempt(() => probe.matches(`${one},aa-probe`)) === true) return one;
      // biome-ignore lint/suspicious/noConsole: whoever owns the site must hear why all is hidden.
      console.warn(`Session replay: this browser cannot use the selector "${one}" and hides all.`);
      return everything;
    })
    .join(",");

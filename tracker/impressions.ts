import { attempt } from "./attempt";
import { track } from "./events";
import { markedProperties, read } from "./marks";

const mark = "data-aa-impression";
const visibleShareMin = 0.5;
const pauseMs = 300;

let observer: IntersectionObserver;
let timer = 0;
let seen: WeakSet<Element>;

/** Watches what is there, and what comes later, at most three times a second. */
export const watchImpressions = (): void => {
  observer = new IntersectionObserver(see, { threshold: visibleShareMin });
  lookAgain();
  new MutationObserver(lookSoon).observe(document, { childList: true, subtree: true });
};

/** An element counts once on each page. On a new one of a single-page site its router gets the time to put it there. */
export const lookAgain = (): void => {
  seen = new WeakSet();
  observer.disconnect();
  lookSoon();
};

const lookSoon = (): void => {
  timer = timer || setTimeout(() => attempt(look), pauseMs);
};

const look = (): void => {
  timer = 0;
  for (const element of document.querySelectorAll(`[${mark}]`)) {
    if (!seen.has(element)) observer.observe(element);
  }
};

const see = (entries: readonly IntersectionObserverEntry[]): void => {
  for (const { target, intersectionRatio } of entries) {
    if (intersectionRatio < visibleShareMin) continue;
    seen.add(target);
    observer.unobserve(target);
    attempt(() =>
      track("$impression", { name: read(target, mark), ...markedProperties(target, mark) }),
    );
  }
};

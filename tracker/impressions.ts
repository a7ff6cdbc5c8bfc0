import { attempt } from "./attempt";
import { track } from "./events";
import { markedProperties, read } from "./marks";

const mark = "data-aa-impression";
const visibleShareMin = 0.5;

let observer: IntersectionObserver | undefined;

/** Also called for every new page of a single-page site: an element counts once on each. */
export const rescan = (): void => {
  observer = observer || new IntersectionObserver(see, { threshold: visibleShareMin });
  observer.disconnect();
  for (const element of document.querySelectorAll(`[${mark}]`)) observer.observe(element);
};

const see = (entries: readonly IntersectionObserverEntry[], from: IntersectionObserver): void => {
  for (const { target, intersectionRatio } of entries) {
    if (intersectionRatio < visibleShareMin) continue;
    from.unobserve(target);
    attempt(() =>
      track("$impression", { name: read(target, mark), ...markedProperties(target, mark) }),
    );
  }
};

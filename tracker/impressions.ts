import { attempt } from "./attempt";
import { track } from "./events";
import { markedProperties } from "./marks";

const mark = "data-aa-impression";
const visibleShareMin = 0.5;

let observer: IntersectionObserver | undefined;

/** Also called for every new page of a single-page site: an element counts once on each. */
export function rescan(): void {
  if (observer) observer.disconnect();
  observer = attempt(() => new IntersectionObserver(see, { threshold: visibleShareMin }));
  for (const element of Array.from(document.querySelectorAll(`[${mark}]`))) {
    if (observer) observer.observe(element);
  }
}

function see(entries: readonly IntersectionObserverEntry[], from: IntersectionObserver): void {
  for (const { target, isIntersecting, intersectionRatio } of entries) {
    if (!isIntersecting || intersectionRatio < visibleShareMin) continue;
    from.unobserve(target);
    const name = target.getAttribute(mark);
    attempt(() => track("$impression", { name, ...markedProperties(target, `${mark}-`) }));
  }
}

import { track } from "./events";
import { observe, sinceShown } from "./reports";
import { feature } from "./settings";

/** What is known of the page as a whole, once. */
export const watchLoad = (): void => {
  feature("404", () => {
    if (document.querySelector('meta[name="aa-status"][content="404"]')) track("$404");
    else watchNavigation(tellMissing);
  });
  feature("performance", () => watchNavigation(tellPerformance));
};

type Tell = (entry: PerformanceNavigationTiming) => unknown;

/** Chromium shows the navigation while the page still loads, and again when it has loaded, then often twice. */
const watchNavigation = (tell: Tell): void => {
  let isTold: unknown;
  observe<PerformanceNavigationTiming>("navigation", (entry) => {
    isTold = isTold || tell(entry);
  });
};

const tellMissing: Tell = ({ responseStatus }) => responseStatus === 404 && !track("$404");

const tellPerformance: Tell = (entry) =>
  entry.loadEventEnd &&
  !track("$performance", {
    perf_dns: Math.round(entry.domainLookupEnd - entry.domainLookupStart),
    perf_tcp: Math.round(entry.connectEnd - entry.connectStart),
    perf_ttfb: sinceShown(entry.responseStart),
    perf_dom_interactive: sinceShown(entry.domInteractive),
    perf_dom_complete: sinceShown(entry.domComplete),
    perf_load: sinceShown(entry.loadEventEnd),
  });

import { track } from "./events";
import { observe } from "./reports";
import { feature } from "./settings";

/** What is known of the page as a whole, once. */
export const watchLoad = (): void => {
  feature("404", () => {
    if (document.querySelector('meta[name="aa-status"][content="404"]') || isMissing()) {
      track("$404");
    }
  });
  // The browser tells this entry when the page has loaded, also when that was before.
  feature("performance", () => observe("navigation", tellPerformance));
};

const isMissing = (): boolean => {
  const [entry] = performance.getEntriesByType("navigation");
  return (entry as { responseStatus?: number }).responseStatus === 404;
};

const tellPerformance = (entry: PerformanceNavigationTiming): void => {
  const { round } = Math;
  track("$performance", {
    perf_dns: round(entry.domainLookupEnd - entry.domainLookupStart),
    perf_tcp: round(entry.connectEnd - entry.connectStart),
    perf_ttfb: round(entry.responseStart),
    perf_dom_interactive: round(entry.domInteractive),
    perf_dom_complete: round(entry.domComplete),
    perf_load: round(entry.loadEventEnd),
  });
};

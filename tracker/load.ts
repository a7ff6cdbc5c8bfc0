import { track } from "./events";
import { observe } from "./reports";
import { feature } from "./settings";

/** What is known of the page as a whole, once. The browser tells the navigation when the page has loaded. */
export const watchLoad = (): void => {
  feature("404", () => {
    if (document.querySelector('meta[name="aa-status"][content="404"]')) track("$404");
    else observe("navigation", tellMissing);
  });
  feature("performance", () => observe("navigation", tellPerformance));
};

const tellMissing = ({ responseStatus }: PerformanceNavigationTiming): void => {
  if (responseStatus === 404) track("$404");
};

const tellPerformance = (entry: PerformanceNavigationTiming): void =>
  track("$performance", {
    perf_dns: Math.round(entry.domainLookupEnd - entry.domainLookupStart),
    perf_tcp: Math.round(entry.connectEnd - entry.connectStart),
    perf_ttfb: Math.round(entry.responseStart),
    perf_dom_interactive: Math.round(entry.domInteractive),
    perf_dom_complete: Math.round(entry.domComplete),
    perf_load: Math.round(entry.loadEventEnd),
  });

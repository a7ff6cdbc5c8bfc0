import { track } from "./events";
import { feature } from "./settings";

const navigation = (): PerformanceNavigationTiming & { readonly responseStatus?: number } =>
  Object(performance.getEntriesByType("navigation")[0]);

/** What is known of the page as a whole, once. */
export function watchLoad(): void {
  feature("404", () => {
    const isMissing = document.querySelector('meta[name="aa-status"][content="404"]');
    if (isMissing || navigation().responseStatus === 404) track("$404");
  });
  feature("performance", () => {
    // The end of loading is known only after the listeners of "load" are through.
    const later = (): unknown => setTimeout(tellPerformance);
    if (document.readyState === "complete") later();
    else addEventListener("load", later);
  });
}

function tellPerformance(): void {
  const entry = navigation();
  const between = (end: number, start = 0): number => Math.round(end - start);
  track("$performance", {
    perf_dns: between(entry.domainLookupEnd, entry.domainLookupStart),
    perf_tcp: between(entry.connectEnd, entry.connectStart),
    perf_ttfb: between(entry.responseStart),
    perf_dom_interactive: between(entry.domInteractive),
    perf_dom_complete: between(entry.domComplete),
    perf_load: between(entry.loadEventEnd),
  });
}

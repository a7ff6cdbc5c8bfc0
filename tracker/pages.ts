import { attempt } from "./attempt";
import { resetErrors } from "./errors";
import { flush, page } from "./events";
import { readCampaign } from "./identity";
import { rescan } from "./impressions";
import { listen } from "./listen";
import { report, resetReports } from "./reports";
import { setting } from "./settings";

let route = "";

const currentRoute = (): string => location.pathname + location.search + location.hash;

/** From the first page view on: routes of a single-page site, pages that come back, and the end of the page. */
export function followPages(): void {
  route = currentRoute();
  page();
  listen(document, "visibilitychange", () => {
    if (document.visibilityState === "hidden") leave();
  });
  listen(window, "pagehide", leave);
  listen<PageTransitionEvent>(window, "pageshow", ({ persisted }) => {
    if (persisted) turnPage();
  });
  if (setting("track-spa") === "false") return;
  listen(window, "popstate", checkRoute);
  listen(window, "hashchange", checkRoute);
  attempt(() => watchHistory("pushState"));
  attempt(() => watchHistory("replaceState"));
}

/** Others wrap these functions too, before and after us: what they get and give back stays the same. */
function watchHistory(name: "pushState" | "replaceState"): void {
  const original = history[name];
  history[name] = function (...given) {
    original.apply(this, given);
    attempt(checkRoute);
  };
}

function checkRoute(): void {
  if (route !== currentRoute()) turnPage();
}

/** What is known of the page that was left goes out before the new one is counted. */
function turnPage(): void {
  route = currentRoute();
  report();
  resetReports();
  resetErrors();
  readCampaign();
  rescan();
  page();
}

function leave(): void {
  report();
  flush(true);
}

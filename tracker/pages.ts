import { attempt } from "./attempt";
import { resetErrors } from "./errors";
import { flush, isHidden, page } from "./events";
import { readCampaign } from "./identity";
import { lookAgain } from "./impressions";
import { listen } from "./listen";
import { report, resetReports } from "./reports";
import { setting } from "./settings";

let route = "";

/**
 * Follows what happens after the first page view: routes of a single-page site, pages that come back, and the end of
 * the page.
 */
export const followPages = (): void => {
  route = location.href;
  page();
  listen("visibilitychange", () => {
    if (isHidden()) leave();
  });
  listen("pagehide", leave);
  listen<PageTransitionEvent>("pageshow", ({ persisted }) => {
    if (persisted) turnPage();
  });
  if (setting("track-spa") === "false") return;
  listen("popstate", checkRoute);
  listen("hashchange", checkRoute);
  // The Navigation API changes the address without any of these.
  attempt(() =>
    window.navigation.addEventListener("currententrychange", () => attempt(checkRoute)),
  );
  watchHistory("pushState");
  watchHistory("replaceState");
};

/** Others wrap these functions too, before and after us: what they get and give back stays the same. */
const watchHistory = (name: "pushState" | "replaceState"): void => {
  const original = history[name];
  history[name] = function (...given) {
    original.apply(this, given);
    attempt(checkRoute);
  };
};

/** The origin never changes: a new address is a new path, query or hash. */
const checkRoute = (): void => {
  if (route !== location.href) turnPage();
};

/** What is known of the page that was left goes out before the new one is counted. */
const turnPage = (): void => {
  route = location.href;
  [report, resetReports, resetErrors, readCampaign, lookAgain, page].forEach(attempt);
};

const leave = (): void => {
  report();
  flush(true);
};

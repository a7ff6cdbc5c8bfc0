/*
 * A prerendered page is counted when it is shown.
 * Decision: the API is silent while prerendering, the tracker begins on prerenderingchange.
 * Because: Chrome prerenders pages that are then really visited.
 * Cost: 32 bytes.
 * Revisit: never.
 */

import { attempt } from "./attempt";
import { watchClicks } from "./clicks";
import { placeProperties } from "./environment";
import { watchErrors } from "./errors";
import {
  grantConsent,
  identify,
  isOff,
  page,
  requireConsent,
  reset,
  revokeConsent,
  set,
  switchOff,
  switchOn,
  track,
} from "./events";
import { experiment, loadExperiments, reveal } from "./experiments";
import { anonymousId, readCampaign } from "./identity";
import { watchImpressions } from "./impressions";
import { receiveLink } from "./links";
import { watchLoad } from "./load";
import { followPages } from "./pages";
import { watchReports } from "./reports";
import { feature, isOn, readSettings } from "./settings";
import { recall, remember } from "./storage";

declare global {
  interface Window {
    aa?: Record<string, unknown>;
  }
  interface Document {
    readonly prerendering?: boolean;
  }
}

const methods: Record<string, (...given: never[]) => unknown> = {
  track,
  page,
  identify,
  set,
  experiment,
  requireConsent,
  grantConsent() {
    grantConsent();
    loadExperiments();
  },
  revokeConsent,
  getIdentity: () => ({
    anonymousId: anonymousId(),
    userId: recall("identified_uid") || null,
    sessionId: recall("sid") || null,
  }),
  reset,
  optOut() {
    switchOff();
    remember("disabled", "true", true);
  },
  optIn() {
    if (isDoNotTrack()) return;
    remember("disabled", null, true);
    begin();
  },
};

/** What a silent tracker knows. */
const nobody = { anonymousId: null, userId: null, sessionId: null };

let isDev: boolean;
let hasBegun: boolean;

/** Each method of the page's API, made so that none of them can throw into the page. */
const expose = (): void => {
  const api: Record<string, unknown> = {};
  for (const name in methods) {
    api[name] = (...given: never[]) =>
      attempt(() => {
        // biome-ignore lint/suspicious/noConsole: telling the developer is what dev mode is for.
        if (isDev) console.log("[aa-dev]", name, ...given);
        else if (!isOff || name === "optIn") return methods[name](...given);
        return undefined;
      }) || (name === "getIdentity" ? nobody : null);
  }
  window.aa = api;
};

const start = (): void => {
  readSettings();
  // A browser writes every address as four numbers.
  isDev = /^(localhost|127[.\d]+)$/.test(location.hostname);
  begin();
  // biome-ignore lint/suspicious/noConsole: the page view that would have been sent.
  if (isDev) console.log("[aa-dev]", "page", placeProperties());
};

const begin = (): void => {
  if (document.prerendering) {
    document.addEventListener("prerenderingchange", () => attempt(begin));
  } else if (isDev || isDoNotTrack() || isDisabled()) reveal();
  else {
    switchOn();
    if (hasBegun) return;
    hasBegun = true;
    if (isOn("require-consent")) requireConsent();
    parts.forEach(attempt);
  }
};

/** Comes before all others: it leaves storage untouched, even for reading. */
const isDoNotTrack = (): boolean => isOn("do-not-track") && navigator.doNotTrack === "1";

const isDisabled = (): boolean =>
  (recall("disabled") || attempt(() => localStorage.aa_disabled)) === "true";

/** The parts start in this order; one that fails does not stop the others. */
const parts = [
  receiveLink,
  readCampaign,
  watchReports,
  followPages,
  loadExperiments,
  watchClicks,
  () => feature("errors", watchErrors),
  watchLoad,
  watchImpressions,
];

// A second copy of the script finds the first one at work.
if (!window.aa || !window.aa.track) {
  attempt(expose);
  attempt(start);
}

import { attempt } from "./attempt";
import { watchClicks } from "./clicks";
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
import { rescan } from "./impressions";
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

/** What the silent tracker answers. */
const silence: Readonly<Record<string, unknown>> = {
  experiment: null,
  getIdentity: { anonymousId: null, userId: null, sessionId: null },
};

const methods: Readonly<Record<string, (...given: never[]) => unknown>> = {
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
    userId: recall("identified_uid"),
    sessionId: recall("sid"),
  }),
  reset,
  optOut() {
    switchOff();
    remember("disabled", "true", true);
  },
  optIn() {
    remember("disabled", null, true);
    begin();
  },
};

let isDev = false;

/** Each method of the page's API, made so that none of them can throw into the page. */
function expose(): void {
  const api: Record<string, unknown> = {};
  for (const name of Object.keys(methods)) {
    api[name] = (...given: never[]) => {
      const answer = attempt(() => {
        // biome-ignore lint/suspicious/noConsole: telling the developer is what dev mode is for.
        if (isDev) console.log("[aa-dev]", name, ...given);
        else if (!isOff || name === "optIn") return methods[name](...given);
        return undefined;
      });
      return answer === undefined ? silence[name] : answer;
    };
  }
  window.aa = api;
}

let hasBegun = false;

function begin(): void {
  if (!isOff) return;
  if (document.prerendering) {
    document.addEventListener("prerenderingchange", () => attempt(begin));
    return;
  }
  // Do Not Track comes first: it leaves storage untouched, even for reading.
  if ((isOn("do-not-track") && navigator.doNotTrack === "1") || isDisabled()) {
    reveal();
    return;
  }
  switchOn();
  if (hasBegun) return;
  hasBegun = true;
  if (isOn("require-consent")) requireConsent();
  for (const part of parts) attempt(part);
}

const isDisabled = (): boolean =>
  recall("disabled") === "true" || attempt(() => localStorage.getItem("aa_disabled")) === "true";

/** In order; one that fails takes no other with it. */
const parts: readonly (() => void)[] = [
  receiveLink,
  readCampaign,
  watchReports,
  followPages,
  loadExperiments,
  watchClicks,
  () => feature("errors", watchErrors),
  watchLoad,
  rescan,
];

function start(): void {
  readSettings();
  isDev = /^(localhost|127(\.\d+){3})$/.test(location.hostname);
  if (isDev) reveal();
  else begin();
}

// A second copy of the script finds the first one at work.
if (!window.aa || !window.aa.track) {
  attempt(expose);
  attempt(start);
}

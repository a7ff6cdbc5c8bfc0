/*
 * A prerendered page is counted when it is shown.
 * Decision: the API is silent while prerendering, the tracker begins on prerenderingchange.
 * Because: Chrome prerenders pages that are then really visited.
 * Cost: 32 bytes.
 */

import { attempt } from "./attempt";
import { watchClicks } from "./clicks";
import { isDev, readHost, say } from "./dev";
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
import { anonymousId, campaignHere, identifiedId, isId, readCampaign } from "./identity";
import { watchImpressions } from "./impressions";
import { receiveLink } from "./links";
import { watchLoad } from "./load";
import { type Api, isTaken, names, passOn, stand } from "./names";
import { followPages } from "./pages";
import { watchReports } from "./reports";
import { feature, isOn, readSettings } from "./settings";
import { cut, shorten } from "./shorten";
import { recall, remember } from "./storage";

type Method = (...given: never[]) => unknown;

declare global {
  interface Document {
    readonly prerendering?: boolean;
  }
}

const methods: Record<string, Method> = {
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
    userId: identifiedId() || null,
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

let hasBegun: boolean;

/** Each method of the page's API, made so that none of them can throw into the page. */
const expose = (): void => {
  const api = ((...given) => passOn(api, given)) as Api;
  for (const name in methods) {
    api[name] = (...given: never[]) =>
      attempt(() => {
        say(name, ...given);
        if (isDev) warn(name, given[0]);
        else if (!isOff || name === "optIn") return methods[name](...given);
        return undefined;
      }) || (name === "getIdentity" ? nobody : null);
  }
  for (const name of names) attempt(() => stand(name, api));
};

/** What the call would not have done as it is written. */
const warn = (name: string, given: unknown): void => {
  if (name === "identify" && !isId(given)) say("ignored", given);
  if (name === "page") cut(name, given);
};

const start = (): void => {
  readSettings();
  readHost();
  begin();
  // The page view that would have been sent.
  if (isDev) say("page", shorten({ ...placeProperties(), ...campaignHere() }));
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

if (!isTaken()) {
  attempt(expose);
  attempt(start);
}

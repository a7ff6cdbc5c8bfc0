import { write } from "./json";
import { shorten } from "./shorten";
import { recall, remember } from "./storage";

const sessionPauseMsMax = 1_800_000;

/** `Math.random` serves, as ids are no secrets, and pages without TLS lack much of `crypto`. */
export const makeId = (prefix: string): string =>
  prefix + randomText() + randomText() + Date.now().toString(36);

const randomText = (): string => Math.random().toString(36).slice(2);

export const anonymousId = (): string => {
  if (!recall("uid")) remember("uid", makeId("anon_"));
  return recall("uid");
};

/** The last id of `identify`. Earlier versions stored as ids what says that there is none. */
export const identifiedId = (): string => {
  const id = recall("identified_uid");
  return isId(id) ? id : "";
};

export const userId = (): string => identifiedId() || anonymousId();

/** Text or a number, of 1 to 256 characters: for any other name or id the server refuses the whole batch. */
export const isName = (value: unknown): value is string | number =>
  /^[sn][tu]/.test(typeof value) && /^\P{Cs}{1,256}$/u.test(value as string);

/** What a page passes when it has no id yet would make one person of all its visitors. */
export const isId = (value: unknown): value is string | number =>
  isName(value) && !/^(undefined|null|NaN|\[object Object])$/.test(value as string);

/** Continues the session at every event, or begins a new one after a long pause. */
export const touchSession = (): void => {
  const nowMs = Date.now();
  if (!recall("fv")) remember("fv", nowMs);
  if (!recall("sid") || !(nowMs - +recall("last_activity") <= sessionPauseMsMax)) {
    remember("sid", makeId("sess_"));
    remember("sc", (+recall("sc") || 0) + 1);
    remember("utm", null);
    readCampaign();
  }
  remember("last_activity", nowMs);
};

/** The campaign that the address names. */
export const campaignHere = (): Record<string, string> => {
  const campaign: Record<string, string> = {};
  new URLSearchParams(location.search).forEach((value, given) => {
    const name = given.toLowerCase();
    if (value && /^utm_(source|medium|campaign|content|term)$/.test(name)) campaign[name] = value;
  });
  return campaign;
};

/** The session keeps the last address that named a campaign; the visitor keeps the first one for ever. */
export const readCampaign = (): void => {
  const text = write(shorten(campaignHere()));
  if (text === "{}") return;
  remember("utm", text);
  if (!recall("ft")) remember("ft", text.replace(/"(?=utm_\w+":)/g, '"first_'));
};

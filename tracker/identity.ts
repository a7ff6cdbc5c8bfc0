import { recall, recallObject, remember } from "./storage";

const sessionPauseMsMax = 30 * 60_000;
const campaignNames = ["source", "medium", "campaign", "content", "term"];

/** `Math.random` serves, as ids are no secrets, and pages without TLS lack much of `crypto`. */
export function makeId(prefix: string): string {
  let id = prefix;
  for (let left = 16; left > 0; left--) id += Math.floor(Math.random() * 36).toString(36);
  return id + Date.now().toString(36);
}

export function anonymousId(): string {
  if (!recall("uid")) remember("uid", makeId("anon_"));
  return recall("uid") || "";
}

export const userId = (): string => recall("identified_uid") || anonymousId();

/** The server takes ids and names of 1 to 256 characters and refuses the whole batch for any other. */
export const isName = (value: unknown): value is string | number =>
  /^(string|number)$/.test(typeof value) && /^\P{Cs}{1,256}$/u.test(String(value));

/** Called for every event: the session goes on, or after a long pause a new one begins. */
export function touchSession(): void {
  const nowMs = Date.now();
  if (!recall("fv")) remember("fv", String(nowMs));
  if (!recall("sid") || !(nowMs - Number(recall("last_activity")) <= sessionPauseMsMax)) {
    remember("sid", makeId("sess_"));
    remember("sc", String((Number(recall("sc")) || 0) + 1));
    remember("utm", null);
    readCampaign();
  }
  remember("last_activity", String(nowMs));
}

/** The session keeps the last address that named a campaign; the visitor keeps the first one for ever. */
export function readCampaign(): void {
  const query = new URLSearchParams(location.search);
  const campaign: Record<string, string> = {};
  for (const name of campaignNames) {
    const value = query.get(`utm_${name}`);
    if (value) campaign[`utm_${name}`] = value;
  }
  const text = JSON.stringify(campaign);
  if (text === "{}") return;
  remember("utm", text);
  if (!recall("ft")) remember("ft", text);
}

export function visitProperties(): Record<string, unknown> {
  const first = recallObject("ft");
  const properties: Record<string, unknown> = {
    session_count: Number(recall("sc")),
    days_since_first_visit: Math.floor((Date.now() - Number(recall("fv"))) / 86_400_000),
    ...recallObject("utm"),
  };
  for (const name in first) properties[`first_${name}`] = first[name];
  return properties;
}

import { agentFactsOf } from "../../lib/user-agent";
import type { JsonObject } from "../properties";
import type { Draft } from "./draft";
import { campaignProperties } from "./page";

/**
 * Puts an event's properties together: the sender's own, then those of the dialect, the page and the agent. A property
 * of the sender's own under a name of these is kept beside them, as `custom_<name>`.
 */
export function gatherProperties(draft: Draft): Draft {
  const { item, automated, agent, page } = draft;
  if (item.kind !== "event" || automated !== null) return draft;
  const properties: JsonObject = {};
  addOwn(properties, item.own);
  addPresent(properties, item.facts);
  Object.assign(properties, page.facts);
  if (agent !== null) addPresent(properties, agentFactsOf(agent));
  return { ...draft, properties: isEmpty(properties) ? null : properties };
}

function addOwn(properties: JsonObject, own: JsonObject): void {
  for (const key of Object.keys(own)) {
    const value = own[key];
    if (isAbsent(value) || isForeign(key)) continue;
    properties[reserved.has(key) ? `custom_${key}` : key] = value;
  }
}

function addPresent(properties: JsonObject, facts: object): void {
  for (const [key, value] of Object.entries(facts)) {
    if (!isAbsent(value)) properties[key] = value;
  }
}

/** Tells whether a key belongs to the sender's product; an assignment to `__proto__` would make no property. */
const isForeign = (key: string): boolean =>
  key.startsWith("$") || key.startsWith("mp_") || key === "__proto__";

const isAbsent = (value: unknown): boolean => value === null || value === undefined || value === "";

function isEmpty(object: JsonObject): boolean {
  for (const _ in object) return false;
  return true;
}

/** The names of properties that say the same of every event, whoever sent it. */
const reserved: ReadonlySet<string> = new Set([
  ...["url", "path", "hostname", "referrer", "title", "screen", "language"],
  ...["browser", "browser_version", "os", "device"],
  ...campaignProperties,
]);

import { secondMs } from "../../lib/clock";
import type { JsonObject } from "../properties";
import { brokenRule, type Refusal } from "../refusal";
import {
  atReceipt,
  type ForeignEvent,
  type ForeignIdentity,
  type ForeignPage,
  type ForeignTime,
} from "./item";
import { idIn, numberIn, objectIn, screenIn, textIn, without } from "./json";

/** An event of Mixpanel, as its clients send it and as its export has it. */
export function mixpanelContent(
  event: JsonObject,
  session: ForeignEvent["session"],
): ForeignEvent | ForeignIdentity | Refusal {
  const properties = objectIn(event.properties) ?? {};
  const name = textIn(event.event);
  const userId = idIn(properties.$user_id) ?? idIn(properties.distinct_id);
  if (name === null) return brokenRule("event", "is required: its name");
  if (userId === null) return brokenRule("distinct_id", "is required");
  const time = timeOf(properties.time);
  if (name === "$identify") {
    return mixpanelIdentity(idIn(properties.$anon_distinct_id), userId, null, time);
  }
  if (name === "$create_alias") {
    return mixpanelIdentity(idIn(properties.alias), userId, null, time);
  }
  return {
    kind: "event",
    name: name === "$mp_web_page_view" ? "page_view" : name,
    page: pageOf(properties),
    facts: {
      title: properties.current_page_title,
      screen: screenIn(properties.$screen_width, properties.$screen_height),
    },
    own: without(properties, itsKeys),
    session,
    ...{ agent: null, userId, time, eventId: idIn(properties.$insert_id) },
  };
}

export const mixpanelIdentity = (
  previousId: string | null,
  userId: string,
  traits: JsonObject | null,
  time: ForeignTime,
): ForeignIdentity => ({
  ...{ kind: "identity", previousId: previousId ?? userId, userId, traits, time },
  ...{ page: { url: null }, agent: null },
});

/** Times above are ms, below s: as s, this one lies in the year 5138. */
const secondsMax = 1e11;

function timeOf(said: unknown): ForeignTime {
  if (said === undefined || said === null) return atReceipt;
  const number = numberIn(said) ?? Number.NaN;
  return { timestamp: number > secondsMax ? number : number * secondMs, sentAt: null };
}

function pageOf(properties: JsonObject): ForeignPage {
  const { $current_url: url, $referrer: referrer } = properties;
  const { current_domain: host, current_url_path: path, current_url_search: query } = properties;
  if (textIn(url) !== null || textIn(path) === null) {
    return { url, referrer, campaign: properties };
  }
  return { url: path, host, query, referrer, campaign: properties };
}

/** Properties that say what the server says under names of its own. Addresses of senders are not stored. */
const itsKeys: ReadonlySet<string> = new Set([
  ...["token", "distinct_id", "time", "ip", "current_page_title"],
  ...["current_url_path", "current_url_protocol", "current_url_search", "current_url_hash"],
  ...["utm_source", "utm_medium", "utm_campaign", "utm_content", "utm_term"],
]);

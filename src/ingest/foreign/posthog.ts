import type { JsonObject } from "../properties";
import { brokenRule, type Refusal } from "../refusal";
import {
  type ForeignEvent,
  type ForeignIdentity,
  type ForeignPage,
  type ForeignTime,
  traitsIn,
  type Unsupported,
  unsupported,
} from "./item";
import { idIn, numberIn, objectIn, screenIn, textIn, without } from "./json";

/** Messages about flags, groups, surveys and consent. */
const unsupportedNames: ReadonlySet<string> = new Set([
  ...["$feature_flag_called", "$groupidentify", "$opt_in"],
  ...["survey shown", "survey sent", "survey dismissed"],
]);

/** An event of PostHog, as its clients send it and as its export has it. */
export function posthogContent(
  event: JsonObject,
  properties: JsonObject,
  time: ForeignTime,
): ForeignEvent | ForeignIdentity | Unsupported | Refusal {
  const name = textIn(event.event);
  if (name === null) return brokenRule("event", "is required: its name");
  if (unsupportedNames.has(name) || name.startsWith("$snapshot")) return unsupported;
  const userId =
    idIn(event.distinct_id) ?? idIn(properties.distinct_id) ?? idIn(properties.$distinct_id);
  if (userId === null) return brokenRule("distinct_id", "is required");
  const agent = textIn(properties.$raw_user_agent) ?? textIn(properties.$user_agent);
  if (name === "$identify" || name === "$set" || name === "$create_alias") {
    return identityOf({ name, event, properties, userId, agent, time });
  }
  const measured = measuresOf(name, properties);
  if (measured === null) return unsupported;
  return {
    kind: "event",
    name: names[name] ?? name,
    page: pageOf(properties),
    facts: {
      title: properties.title,
      screen: screenIn(properties.$screen_width, properties.$screen_height),
      language: properties.$browser_language,
      ...measured,
    },
    own: without(properties, itsKeys),
    ...{ agent, userId, time },
    session: { id: idIn(properties.$session_id) },
    eventId: idIn(event.uuid),
  };
}

interface Person {
  readonly name: string;
  readonly event: JsonObject;
  readonly properties: JsonObject;
  readonly userId: string;
  readonly agent: string | null;
  readonly time: ForeignTime;
}

function identityOf({ name, event, properties, userId, agent, time }: Person): ForeignIdentity {
  const former = name === "$create_alias" ? properties.alias : properties.$anon_distinct_id;
  const sent = [properties.$set_once, event.$set_once, properties.$set, event.$set];
  return {
    kind: "identity",
    previousId: (name === "$set" ? null : idIn(former)) ?? userId,
    userId,
    traits: traitsIn(...sent.map(objectIn)),
    page: { url: null },
    ...{ agent, time },
  };
}

const names: Readonly<Record<string, string>> = {
  $pageview: "page_view",
  $pageleave: "$time_on_page",
};

/** The properties that an event has by its name; null where it is one that has nothing to tell. */
function measuresOf(name: string, properties: JsonObject): JsonObject | null {
  switch (name) {
    case "$pageleave":
      return leaveOf(properties);
    case "$web_vitals":
      return vitalsOf(properties);
    case "$autocapture":
      return { $event_type: properties.$event_type, $el_text: properties.$el_text };
    default:
      return {};
  }
}

function leaveOf(properties: JsonObject): JsonObject {
  const scrolled = numberIn(properties.$prev_pageview_max_scroll_percentage);
  return {
    time_on_page: numberIn(properties.$prev_pageview_duration),
    scroll_depth: scrolled === null ? null : Math.round(100 * scrolled),
  };
}

function vitalsOf(properties: JsonObject): JsonObject | null {
  const vitals = {
    cwv_lcp: numberIn(properties.$web_vitals_LCP_value),
    cwv_inp: numberIn(properties.$web_vitals_INP_value),
    cwv_cls: numberIn(properties.$web_vitals_CLS_value),
    fcp: numberIn(properties.$web_vitals_FCP_value),
  };
  return Object.values(vitals).some((value) => value !== null) ? vitals : null;
}

function pageOf(properties: JsonObject): ForeignPage {
  const { $current_url: url, $referrer: referrer } = properties;
  return { url, referrer, campaign: properties };
}

/** Properties that say what the server says under names of its own. Addresses of senders are not stored. */
const itsKeys: ReadonlySet<string> = new Set([
  ...["token", "api_key", "distinct_id", "title", "ip"],
  ...["utm_source", "utm_medium", "utm_campaign", "utm_content", "utm_term"],
]);

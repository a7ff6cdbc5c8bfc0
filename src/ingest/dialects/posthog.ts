import { isObject, type JsonObject } from "../properties";
import { brokenRule, isRefusal, type Refusal, wrongType } from "../refusal";
import {
  type Answer,
  type CollectingEndpoint,
  type Dialect,
  type ForeignIdentity,
  type ForeignItem,
  type ForeignPage,
  type ForeignRequest,
  type ForeignTime,
  jsonAnswer,
  type Refused,
  scriptAnswer,
  traitsIn,
  unsupported,
} from "./dialect";
import { readData } from "./reading/data-field";
import { idIn, isoTimeIn, numberIn, objectIn, screenIn, textIn, without } from "./reading/json";

const collecting = (path: string): CollectingEndpoint => ({
  ...{ path, methods: ["POST"], read },
  answer: () => jsonAnswer(200, { status: 1 }),
});

/** PostHog: posthog-js and the libraries of servers, one event a request or a batch. */
export const posthog: Dialect = {
  kind: "posthog",
  judgesServers: false,
  time: { field: "timestamp", form: "ISO 8601" },
  endpoints: [
    ...["/e", "/i/v0/e", "/capture", "/batch", "/s"].map(collecting),
    { ...collecting("/track"), isBelowPrefixOnly: true },
    ...["/flags", "/decide"].map((path) => ({
      ...({ path, methods: ["POST"] } as const),
      show: () => jsonAnswer(200, noFlags),
    })),
    { path: "/array/{key}/config", methods: ["GET"], show: () => jsonAnswer(200, config) },
    { path: "/array/{key}/config.js", methods: ["GET"], show: configScript },
  ],
  refuse: ({ refusal: { code, message, field }, status }: Refused) =>
    jsonAnswer(status, {
      ...{ type: "validation_error", code: code.toLowerCase(), detail: message },
      attr: field ?? null,
    }),
};

const noFlags = {
  flags: {},
  featureFlags: {},
  featureFlagPayloads: {},
  errorsWhileComputingFlags: false,
};

/** Switches off what is not understood here: recordings, surveys, flags, clicks that nobody named. */
const config = {
  supportedCompression: ["gzip", "gzip-js"],
  hasFeatureFlags: false,
  sessionRecording: false,
  autocapture_opt_out: false,
  surveys: false,
  siteApps: [],
};

function configScript({ pathKey }: ForeignRequest): Answer {
  const key = JSON.stringify(pathKey).replaceAll("<", "\\u003c");
  const made = "window._POSTHOG_REMOTE_CONFIG";
  const text = `(${made}=${made}||{})[${key}]={config:${JSON.stringify(config)},siteApps:[]};`;
  return scriptAnswer(text);
}

function read(request: ForeignRequest): readonly ForeignItem[] | Refusal {
  const json = readData(request);
  if (isRefusal(json)) return json;
  const { value } = json;
  if (Array.isArray(value)) return value.map((one: unknown) => itemOf(one, {}, request));
  if (!isObject(value)) return wrongType("body", "an event, or a list of events");
  if (value.batch === undefined) return [itemOf(value, value, request)];
  if (!Array.isArray(value.batch)) return wrongType("batch", "a list of events");
  return value.batch.map((one: unknown) => itemOf(one, value, request));
}

/** One event of a request; `whole` is the body, which may say the key and the time of sending for all. */
function itemOf(event: unknown, whole: JsonObject, { receivedAtMs }: ForeignRequest): ForeignItem {
  if (!isObject(event)) return { keys: [], content: wrongType("batch", "a list of objects") };
  const properties = objectIn(event.properties) ?? {};
  const key = keyIn(whole) ?? keyIn(event) ?? keyIn(properties);
  const time = timeOf(event, whole.sent_at, receivedAtMs);
  return { keys: key === null ? [] : [key], content: contentOf(event, properties, time) };
}

const keyIn = ({ api_key, token, $token }: JsonObject): string | null =>
  textIn(api_key) ?? textIn(token) ?? textIn($token);

function timeOf(
  { timestamp, offset }: JsonObject,
  sentAt: unknown,
  receivedAtMs: number,
): ForeignTime {
  const said = isoTimeIn(timestamp);
  const ageMs = numberIn(offset);
  if (said === null && ageMs !== null) return { timestamp: receivedAtMs - ageMs, sentAt: null };
  return { timestamp: said, sentAt: isoTimeIn(sentAt) };
}

/** Messages about flags, groups, surveys and consent. */
const unsupportedNames: ReadonlySet<string> = new Set([
  ...["$feature_flag_called", "$groupidentify", "$opt_in"],
  ...["survey shown", "survey sent", "survey dismissed"],
]);

function contentOf(
  event: JsonObject,
  properties: JsonObject,
  time: ForeignTime,
): ForeignItem["content"] {
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

import { atReceipt } from "../foreign/item";
import { numberIn, objectIn, readJson, textIn } from "../foreign/json";
import { isOfPage } from "../foreign/page";
import { isObject, type JsonObject } from "../properties";
import { brokenRule, isRefusal, type Refusal, wrongType } from "../refusal";
import {
  type Answer,
  type Dialect,
  type ForeignItem,
  type ForeignRequest,
  type ItemVerdict,
  jsonAnswer,
  type Refused,
  textAnswer,
} from "./dialect";
import { pageScript } from "./page-script";
import script from "./scripts/plausible.js" with { type: "text" };

/** Plausible: plausible-tracker, @plausible-analytics/tracker and its script. One event a request. */
export const plausible: Dialect = {
  kind: "plausible",
  judgesServers: true,
  endpoints: [
    { path: "/api/event", methods: ["POST"], read, answer },
    // Its own script names its options between the two dots.
    ...["/js/script.js", "/js/script.{key}.js", "/js/plausible.js"].map((path) =>
      pageScript(path, script),
    ),
  ],
  refuse,
};

const domainsMax = 3;
const scrollDepthMax = 100;

function read({ body }: ForeignRequest): readonly ForeignItem[] | Refusal {
  const json = readJson(body);
  if (isRefusal(json)) return json;
  const event = json.value;
  if (!isObject(event)) return wrongType("request", "a JSON object");
  const keys = keysOf(event);
  if (keys.length > domainsMax) return brokenRule("domain", `names at most ${domainsMax} domains`);
  return [{ keys, content: contentOf(event) }];
}

function contentOf(event: JsonObject): ForeignItem["content"] {
  const name = event.n ?? event.name;
  const url = event.u ?? event.url;
  if (textIn(name) === null) return brokenRule("event_name", "is required: a text, as `n`");
  if (textIn(url) === null) return brokenRule("url", "is required: the page's address, as `u`");
  if (!isOfPage(String(url), "")) return brokenRule("url", "must be the address of a page, as `u`");
  return {
    kind: "event",
    name: nameOf(String(name)),
    page: {
      url,
      referrer: event.r ?? event.referrer,
      keepsFragment: isOn(event.h ?? event.hashMode),
    },
    facts: factsOf(event),
    own: ownOf(event),
    ...{ agent: null, userId: null, session: "by time", time: atReceipt, eventId: null },
  };
}

function nameOf(name: string): string {
  if (name === "pageview") return "page_view";
  return name === "engagement" ? "$time_on_page" : name;
}

const isOn = (value: unknown): boolean => value === 1 || value === true || value === "1";

function factsOf(event: JsonObject): JsonObject {
  const revenue = objectIn(event.$ ?? event.revenue);
  const isInteractive = event.i ?? event.interactive;
  return {
    screen_width: numberIn(event.w ?? event.screen_width),
    revenue_amount: numberIn(revenue?.amount),
    revenue_currency: textIn(revenue?.currency),
    interactive: isInteractive === false ? false : null,
    ...((event.n ?? event.name) === "engagement" ? engagementOf(event) : {}),
  };
}

function engagementOf({ e, sd }: JsonObject): JsonObject {
  const engagedMs = numberIn(e);
  const depth = numberIn(sd);
  return {
    time_on_page: engagedMs === null ? null : engagedMs / 1_000,
    scroll_depth: depth !== null && depth >= 0 && depth <= scrollDepthMax ? depth : null,
  };
}

const ownOf = ({ p, props, m, meta }: JsonObject): JsonObject =>
  objectIn(p ?? props ?? m ?? meta) ?? {};

/** The domains that an event is for; without any, the host of its page. */
function keysOf(event: JsonObject): readonly string[] {
  const domains = textIn(event.d ?? event.domain);
  if (domains !== null) return domains.split(",").map((one) => one.trim());
  const url = textIn(event.u ?? event.url);
  const host = url === null ? undefined : URL.parse(url)?.hostname;
  return host ? [host] : [];
}

function answer([verdict]: readonly ItemVerdict[]): Answer {
  return textAnswer(202, "ok", verdict === "filtered" ? { "x-plausible-dropped": "1" } : {});
}

/** The fields that Plausible names in its errors; every other fault is one of the request. */
const itsFields: ReadonlySet<string> = new Set(["event_name", "url", "domain"]);

function refuse({ refusal: { field = "", code, message }, status }: Refused): Answer {
  const ofEvent = field === "event" ? "event_name" : field;
  const ofKey = code === "INVALID_TOKEN" || code === "ORIGIN_NOT_ALLOWED" ? "domain" : ofEvent;
  const named = itsFields.has(ofKey) ? ofKey : "request";
  return jsonAnswer(status, { errors: { [named]: [message] } });
}

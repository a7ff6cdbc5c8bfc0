import { secondMs } from "../../lib/clock";
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
  type ItemVerdict,
  jsonAnswer,
  type Refused,
  textAnswer,
  traitsIn,
  unsupported,
} from "./dialect";
import { readData } from "./reading/data-field";
import { idIn, numberIn, objectIn, readJson, screenIn, textIn, without } from "./reading/json";

const collecting = (path: string, read: CollectingEndpoint["read"]): CollectingEndpoint => ({
  ...{ path, methods: ["GET", "POST"], isBelowPrefixOnly: true },
  ...{ read, answer: (_, request) => answer(request) },
});

/** Mixpanel: mixpanel-browser and the libraries of servers. Its paths are ours at the root, or anybody's. */
export const mixpanel: Dialect = {
  kind: "mixpanel",
  judgesServers: false,
  time: { field: "time", form: "Unix seconds or milliseconds" },
  sendsCookies: true,
  endpoints: [
    collecting("/track", (request) => readList(request, eventIn)),
    collecting("/engage", (request) => readList(request, profileIn)),
    collecting("/groups", readNothing),
    collecting("/record", readNothing),
    { ...collecting("/import", readImport), answer: answerImport },
  ],
  refuse,
};

type ReadItem = (item: JsonObject, request: ForeignRequest) => ForeignItem["content"];

function readList(request: ForeignRequest, readItem: ReadItem): readonly ForeignItem[] | Refusal {
  const json = readData(request);
  return isRefusal(json) ? json : itemsOf(json.value, request, readItem);
}

/** An import is a list, or a message a line; a line that is no JSON is refused alone. */
function readImport(request: ForeignRequest): readonly ForeignItem[] | Refusal {
  const json = readData(request);
  if (!isRefusal(json)) return itemsOf(json.value, request, eventIn);
  const lines = request.body.split("\n").filter((line) => line.trim() !== "");
  const read = lines.map(readJson);
  if (lines.length < 2 || read.every(isRefusal)) return json;
  return read.map((line) =>
    isRefusal(line) ? { keys: [], content: line } : itemOf(line.value, request, eventIn),
  );
}

function itemsOf(
  value: unknown,
  request: ForeignRequest,
  readItem: ReadItem,
): readonly ForeignItem[] | Refusal {
  if (!Array.isArray(value) && !isObject(value)) return wrongType("data", "an object or a list");
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  return list.map((one) => itemOf(one, request, readItem));
}

const itemOf = (one: unknown, request: ForeignRequest, readItem: ReadItem): ForeignItem => ({
  keys: [],
  content: isObject(one) ? readItem(one, request) : wrongType("data", "a list of objects"),
});

/** Groups and recordings are taken, and nothing of them is stored. */
function readNothing(): readonly ForeignItem[] {
  return [{ keys: [], content: unsupported }];
}

function eventIn(event: JsonObject, { headers }: ForeignRequest): ForeignItem["content"] {
  const properties = objectIn(event.properties) ?? {};
  const name = textIn(event.event);
  const userId = idIn(properties.$user_id) ?? idIn(properties.distinct_id);
  if (name === null) return brokenRule("event", "is required: its name");
  if (userId === null) return brokenRule("distinct_id", "is required");
  const time = timeOf(properties.time);
  if (name === "$identify") {
    return identityOf(idIn(properties.$anon_distinct_id), userId, null, time);
  }
  if (name === "$create_alias") return identityOf(idIn(properties.alias), userId, null, time);
  return {
    kind: "event",
    name: name === "$mp_web_page_view" ? "page_view" : name,
    page: pageOf(properties),
    facts: {
      title: properties.current_page_title,
      screen: screenIn(properties.$screen_width, properties.$screen_height),
    },
    own: without(properties, itsKeys),
    session: headers.get("origin") === null ? { id: null } : "by time",
    ...{ agent: null, userId, time, eventId: idIn(properties.$insert_id) },
  };
}

function profileIn(update: JsonObject): ForeignItem["content"] {
  const userId = idIn(update.$user_id) ?? idIn(update.$distinct_id);
  if (userId === null) return brokenRule("$distinct_id", "is required");
  return identityOf(null, userId, traitsIn(objectIn(update.$set)), timeOf(null));
}

const identityOf = (
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
  if (said === undefined || said === null) return { timestamp: null, sentAt: null };
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

const isVerbose = (request: ForeignRequest | null): boolean => {
  const verbose = request?.query.get("verbose");
  return verbose === "1" || verbose === "true";
};

const answer = (request: ForeignRequest): Answer =>
  isVerbose(request) ? jsonAnswer(200, { status: 1, error: null }) : textAnswer(200, "1");

function answerImport(verdicts: readonly ItemVerdict[]): Answer {
  const imported = verdicts.filter((verdict) => typeof verdict === "string").length;
  return jsonAnswer(200, { code: 200, status: "OK", num_records_imported: imported });
}

function refuse({ refusal: { message }, status }: Refused, request: ForeignRequest | null): Answer {
  return isVerbose(request)
    ? jsonAnswer(status, { status: 0, error: message })
    : textAnswer(status, "0");
}

import { secondMs } from "../../lib/clock";
import { isoTimeMs } from "../foreign/iso-time";
import { type ForeignTime, unsupported } from "../foreign/item";
import { numberIn, objectIn, readJson, textIn } from "../foreign/json";
import { isObject, type JsonObject } from "../properties";
import { brokenRule, isRefusal, type Refusal, wrongType } from "../refusal";
import {
  type Answer,
  type Dialect,
  type ForeignItem,
  type ForeignRequest,
  type ItemVerdict,
  jsonAnswer,
  pixelAnswer,
  type Refused,
  textAnswer,
} from "./dialect";
import { type Parameters, readParameters } from "./reading/parameters";

/** Matomo: its script and the HTTP tracking API, one action a request or a list of query strings. */
export const matomo: Dialect = {
  kind: "matomo",
  judgesServers: true,
  time: { field: "cdt", form: "Unix seconds or ISO 8601" },
  endpoints: ["/matomo.php", "/piwik.php"].map((path) => ({
    ...{ path, methods: ["GET", "POST"], read, answer },
  })),
  refuse,
};

const isBulk = ({ body }: ForeignRequest): boolean => body.trimStart().startsWith("{");

function read(request: ForeignRequest): readonly ForeignItem[] | Refusal {
  if (isBulk(request)) return readBulk(request);
  const form = readParameters(request.body);
  if (isRefusal(form)) return form;
  return [itemOf(new Map([...form, ...request.query]))];
}

function readBulk({ body }: ForeignRequest): readonly ForeignItem[] | Refusal {
  const json = readJson(body);
  if (isRefusal(json)) return json;
  const requests = isObject(json.value) ? json.value.requests : null;
  if (!Array.isArray(requests)) return wrongType("requests", "a list of query strings");
  return requests.map((one: unknown) => {
    if (typeof one !== "string") return refused(wrongType("requests", "a list of query strings"));
    const sent = readParameters(one.replace(/^[^?=&]*\?/, ""));
    return isRefusal(sent) ? refused(sent) : itemOf(sent);
  });
}

const refused = (content: Refusal): ForeignItem => ({ keys: [], content });

function itemOf(sent: Parameters): ForeignItem {
  const site = sent.get("idsite") ?? "";
  const keys = site === "" ? [] : [site];
  if (site === "") return { keys, content: brokenRule("idsite", "is required: the site's number") };
  if (sent.get("rec") !== "1") return { keys, content: brokenRule("rec", "is required: 1") };
  return { keys, content: contentOf(sent) };
}

function contentOf(sent: Parameters): ForeignItem["content"] {
  const action = actionOf(sent);
  if (action === null) return unsupported;
  return {
    kind: "event",
    name: action.name,
    page: { url: sent.get("url"), referrer: sent.get("urlref") },
    facts: {
      ...action.properties,
      title: sent.get("action_name"),
      screen: sent.get("res"),
      language: sent.get("lang"),
      revenue: numberIn(sent.get("revenue")),
    },
    own: ownOf(sent),
    agent: textIn(sent.get("ua")),
    userId: textIn(sent.get("uid")) ?? textIn(sent.get("_id")) ?? textIn(sent.get("cid")),
    session: sent.get("new_visit") === "1" ? "new" : "by time",
    time: timeOf(sent.get("cdt")),
    eventId: null,
  };
}

interface Action {
  readonly name: string;
  readonly properties: JsonObject;
}

/** The one thing that a request tells of; null where it is nothing that is stored. */
function actionOf(sent: Parameters): Action | null {
  if (sent.get("ping") === "1") return null;
  const event = sent.get("e_a");
  if (event) {
    const [category, name] = [sent.get("e_c"), sent.get("e_n")];
    return { name: event, properties: { category, name, value: numberIn(sent.get("e_v")) } };
  }
  const query = sent.get("search");
  if (query !== undefined) {
    const results = numberIn(sent.get("search_count"));
    return {
      name: "site_search",
      properties: { query, category: sent.get("search_cat"), results },
    };
  }
  const download = sent.get("download");
  if (download) return { name: "$download", properties: { href: download } };
  const link = sent.get("link");
  if (link) return { name: "outgoing_link", properties: { href: link } };
  return goalOf(sent) ?? viewOf(sent);
}

/** A goal, or an order: goal 0 without the id of an order is a cart that changed. */
function goalOf(sent: Parameters): Action | null {
  const goal = numberIn(sent.get("idgoal"));
  const order = textIn(sent.get("ec_id"));
  if (goal === 0 && order !== null) return { name: "order", properties: { order_id: order } };
  if (goal === null || goal < 1 || !Number.isInteger(goal)) return null;
  return { name: `goal_${goal}`, properties: {} };
}

/** A page view, unless the request says that it is another action. */
const viewOf = (sent: Parameters): Action | null =>
  sent.has("idgoal") || sent.has("c_n") || sent.get("ca") === "1"
    ? null
    : { name: "page_view", properties: {} };

function ownOf(sent: Parameters): JsonObject {
  const own: JsonObject = {};
  for (const [name, value] of sent) {
    // Few names begin so: an expression for each of them would take longer than all that follows.
    if (name.startsWith("dimension") && /^dimension[1-9]\d{0,3}$/.test(name)) own[name] = value;
  }
  for (const name of ["cvar", "_cvar"]) {
    for (const pair of Object.values(objectIn(sent.get(name)) ?? {})) {
      if (!Array.isArray(pair)) continue;
      const [key, value]: unknown[] = pair;
      if (typeof key === "string" && key !== "" && key !== "__proto__") own[key] = value;
    }
  }
  return own;
}

function timeOf(said = ""): ForeignTime {
  if (said === "") return { timestamp: null, sentAt: null };
  const seconds = numberIn(said);
  return { timestamp: seconds === null ? isoTimeMs(said) : seconds * secondMs, sentAt: null };
}

function answer(verdicts: readonly ItemVerdict[], request: ForeignRequest): Answer {
  if (!isBulk(request)) return wantsNoImage(request) ? noContent : pixelAnswer(200);
  const invalid = verdicts.flatMap((verdict, index) =>
    typeof verdict === "string" ? [] : [index],
  );
  return jsonAnswer(200, {
    status: "success",
    tracked: verdicts.length - invalid.length,
    invalid: invalid.length,
    invalid_indices: invalid,
  });
}

const noContent: Answer = { status: 204, body: null, headers: {} };

function wantsNoImage({ query, body }: ForeignRequest): boolean {
  return (query.get("send_image") ?? new URLSearchParams(body).get("send_image")) === "0";
}

function refuse({ refusal: { message }, status }: Refused, request: ForeignRequest | null): Answer {
  return request !== null && isBulk(request)
    ? jsonAnswer(status, { status: "error", message })
    : textAnswer(status, message);
}

import { secondMs } from "../../lib/clock";
import { type ForeignPage, type ForeignTime, traitsIn, unsupported } from "../foreign/item";
import { idIn, numberIn, objectIn, readJson, textIn } from "../foreign/json";
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
} from "./dialect";
import { pageScript } from "./page-script";
import script from "./scripts/umami.js" with { type: "text" };

/** Umami: its script and @umami/node. One message a request, or a list of them. */
export const umami: Dialect = {
  kind: "umami",
  judgesServers: true,
  time: { field: "timestamp", form: "Unix seconds" },
  endpoints: [
    { path: "/api/send", methods: ["POST"], read: readOne, answer: answerOne },
    {
      ...{ path: "/api/batch", methods: ["POST"], read: readBatch, answer: answerBatch },
      answersRefused: true,
    },
    pageScript("/script.js", script),
  ],
  refuse,
};

/** Clients send it back with every request; nobody reads it here. */
const cache = "sightline";
const accepted = { cache, sessionId: cache, visitId: cache };
const automated = { beep: "boop" };

function readOne({ body }: ForeignRequest): readonly ForeignItem[] | Refusal {
  const json = readJson(body);
  if (isRefusal(json)) return json;
  return isObject(json.value) ? [itemOf(json.value)] : wrongType("body", "a JSON object");
}

function readBatch({ body }: ForeignRequest): readonly ForeignItem[] | Refusal {
  const json = readJson(body);
  if (isRefusal(json)) return json;
  const list = json.value;
  return Array.isArray(list) ? list.map(itemOf) : wrongType("body", "a list of messages");
}

function itemOf(message: unknown): ForeignItem {
  const payload = isObject(message) ? message.payload : null;
  if (!isObject(message) || !isObject(payload)) {
    return { keys: [], content: brokenRule("payload", "is required: an object") };
  }
  const website = textIn(payload.website);
  const keys = website === null ? [] : [website];
  if (website === null) return { keys, content: brokenRule("website", "is required: its id") };
  return { keys, content: contentOf(message.type, payload) };
}

function contentOf(type: unknown, payload: JsonObject): ForeignItem["content"] {
  const common = {
    page: pageOf(payload),
    agent: textIn(payload.userAgent),
    time: timeOf(payload.timestamp),
  };
  const userId = idIn(payload.id);
  if (type === "identify") {
    return {
      ...{ kind: "identity", previousId: null, userId, ...common },
      traits: traitsIn(objectIn(payload.data)),
    };
  }
  const vitals = vitalsOf(payload);
  if (type !== "event" && type !== "performance") {
    return brokenRule("type", "must be event, identify or performance");
  }
  if (type === "performance" && vitals === null) return unsupported;
  const isEvent = type === "event";
  const { title, screen, language, tag } = payload;
  return {
    kind: "event",
    name: isEvent ? (textIn(payload.name) ?? "page_view") : "$web_vitals",
    ...common,
    facts: { title, screen, language, tag, ...(isEvent ? {} : vitals) },
    own: objectIn(payload.data) ?? {},
    ...{ userId, session: "by time", eventId: null },
  };
}

const pageOf = ({ url, hostname, referrer }: JsonObject): ForeignPage => ({
  url,
  host: hostname,
  referrer,
});

function timeOf(timestamp: unknown): ForeignTime {
  if (timestamp === undefined || timestamp === null) return { timestamp: null, sentAt: null };
  return { timestamp: (numberIn(timestamp) ?? Number.NaN) * secondMs, sentAt: null };
}

/** The measures of a page; null where it has none of ours. */
function vitalsOf({ lcp, inp, cls, fcp, ttfb }: JsonObject): JsonObject | null {
  const vitals = {
    cwv_lcp: numberIn(lcp),
    cwv_inp: numberIn(inp),
    cwv_cls: numberIn(cls),
    fcp: numberIn(fcp),
    ttfb: numberIn(ttfb),
  };
  return Object.values(vitals).some((value) => value !== null) ? vitals : null;
}

function answerOne([verdict]: readonly ItemVerdict[]): Answer {
  return jsonAnswer(200, verdict === "filtered" ? automated : accepted);
}

function answerBatch(verdicts: readonly ItemVerdict[]): Answer {
  const details = verdicts.flatMap((verdict, index) =>
    typeof verdict === "string" ? [] : [{ index, response: errorOf(verdict) }],
  );
  const errors = details.length;
  const size = verdicts.length;
  return jsonAnswer(200, { size, processed: size - errors, errors, details, cache });
}

function refuse({ refusal, status }: Refused): Answer {
  return jsonAnswer(status, errorOf(refusal));
}

const errorOf = ({ message, code }: Refusal) => ({
  error: { message, code: code.toLowerCase().replaceAll("_", "-") },
});

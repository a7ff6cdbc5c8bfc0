import type { ForeignTime } from "../foreign/item";
import { isoTimeIn, numberIn, objectIn, textIn } from "../foreign/json";
import { posthogContent } from "../foreign/posthog";
import { isObject, type JsonObject } from "../properties";
import { isRefusal, type Refusal, wrongType } from "../refusal";
import {
  type Answer,
  type CollectingEndpoint,
  type Dialect,
  type ForeignItem,
  type ForeignRequest,
  jsonAnswer,
  type Refused,
  scriptAnswer,
} from "./dialect";
import { readData } from "./reading/data-field";

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
  return { keys: key === null ? [] : [key], content: posthogContent(event, properties, time) };
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

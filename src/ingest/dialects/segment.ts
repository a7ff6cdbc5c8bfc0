import { type ForeignEvent, type ForeignPage, traitsIn, unsupported } from "../foreign/item";
import { idIn, isoTimeIn, objectIn, readJson, screenIn, textIn, without } from "../foreign/json";
import { isObject, type JsonObject } from "../properties";
import { brokenRule, isRefusal, type Refusal, wrongType } from "../refusal";
import {
  type Answer,
  type CollectingEndpoint,
  type Dialect,
  type ForeignItem,
  type ForeignRequest,
  jsonAnswer,
  type Refused,
} from "./dialect";

const single = {
  track: "track",
  page: "page",
  screen: "screen",
  identify: "identify",
  alias: "alias",
  group: "group",
  t: "track",
  p: "page",
  s: "screen",
  i: "identify",
  a: "alias",
  g: "group",
} as const;

const answer = (): Answer => jsonAnswer(200, { success: true });

const collecting = (name: string, read: CollectingEndpoint["read"]): CollectingEndpoint => ({
  ...{ path: `/v1/${name}`, methods: ["POST"], read, answer },
});

/** Segment: analytics.js and the libraries of servers, one message a request or a batch. */
export const segment: Dialect = {
  kind: "segment",
  judgesServers: false,
  time: { field: "timestamp", form: "ISO 8601" },
  endpoints: [
    ...Object.entries(single).map(([name, type]) =>
      collecting(name, (request) => readOne(request, type)),
    ),
    ...["batch", "import", "b"].map((name) => collecting(name, readBatch)),
    { path: "/v1/projects/{key}/settings", methods: ["GET"], show: settings },
  ],
  refuse: ({ refusal: { message }, status }: Refused) =>
    jsonAnswer(status, { success: false, message }),
};

/** Lets `cdnURL` alone move a site: the client sends to where its settings say. */
function settings({ base, pathKey }: ForeignRequest): Answer {
  const { protocol, host, pathname } = new URL(base());
  const apiHost = `${host}${pathname.replace(/\/$/, "")}/v1`;
  const ours = { apiKey: pathKey, apiHost, protocol: protocol.replace(":", "") };
  const plan = { track: {}, identify: {}, group: {} };
  return jsonAnswer(200, { integrations: { "Segment.io": ours }, plan });
}

function readOne(request: ForeignRequest, type: string): readonly ForeignItem[] | Refusal {
  const json = readJson(request.body);
  if (isRefusal(json)) return json;
  if (!isObject(json.value)) return wrongType("body", "a JSON object");
  return [itemOf(json.value, type, request, json.value)];
}

function readBatch(request: ForeignRequest): readonly ForeignItem[] | Refusal {
  const json = readJson(request.body);
  if (isRefusal(json)) return json;
  const whole = json.value;
  if (!isObject(whole)) return wrongType("body", "a JSON object");
  if (!Array.isArray(whole.batch)) return brokenRule("batch", "is required: a list of messages");
  return whole.batch.map((one: unknown) =>
    isObject(one)
      ? itemOf(one, textIn(one.type) ?? "", request, whole)
      : { keys: [], content: wrongType("batch", "a list of objects") },
  );
}

function itemOf(
  message: JsonObject,
  type: string,
  { headers }: ForeignRequest,
  whole: JsonObject,
): ForeignItem {
  const key =
    userOfBasic(headers.get("authorization")) ?? textIn(message.writeKey) ?? textIn(whole.writeKey);
  const sentAt = isoTimeIn(message.sentAt ?? whole.sentAt);
  const content = contentOf({ message, type, sentAt, isOfBrowser: headers.get("origin") !== null });
  return { keys: key === null ? [] : [key], content };
}

function userOfBasic(authorization: string | null): string | null {
  const [, encoded] = /^basic +([A-Za-z0-9+/=]+)$/i.exec(authorization ?? "") ?? [];
  if (encoded === undefined) return null;
  const [user = ""] = Buffer.from(encoded, "base64").toString("utf8").split(":");
  return textIn(user);
}

interface Message {
  readonly message: JsonObject;
  readonly type: string;
  readonly sentAt: number | null;
  readonly isOfBrowser: boolean;
}

function contentOf(one: Message): ForeignItem["content"] {
  const { message, type } = one;
  switch (type) {
    case "group":
      return unsupported;
    case "identify":
    case "alias":
      return identityOf(one);
    case "track":
      return textIn(message.event) === null
        ? brokenRule("event", "is required: its name")
        : eventOf(one, String(message.event));
    case "page":
      return eventOf(one, "page_view");
    case "screen":
      return eventOf(one, "screen_view");
    default:
      return brokenRule("type", "must be track, page, screen, identify, alias or group");
  }
}

function identityOf({ message, type, sentAt }: Message): ForeignItem["content"] {
  const anonymousId = idIn(message.anonymousId);
  const userId = idIn(message.userId) ?? anonymousId;
  const isAlias = type === "alias";
  const previousId = isAlias ? idIn(message.previousId) : (anonymousId ?? userId);
  if (userId === null) return brokenRule("userId", "is required, or `anonymousId`");
  if (previousId === null) return brokenRule("previousId", "is required");
  return {
    ...{ kind: "identity", previousId, userId },
    traits: isAlias ? null : traitsIn(objectIn(message.traits)),
    page: { url: null },
    agent: agentIn(message),
    time: { timestamp: isoTimeIn(message.timestamp), sentAt },
  };
}

const pageKeys: ReadonlySet<string> = new Set(["url", "path", "search", "title", "referrer"]);
const none: JsonObject = {};

function eventOf(one: Message, name: string): ForeignEvent | Refusal {
  const { message, type, sentAt, isOfBrowser } = one;
  const userId = idIn(message.userId) ?? idIn(message.anonymousId);
  if (userId === null) return brokenRule("userId", "is required, or `anonymousId`");
  const sent = objectIn(message.properties) ?? none;
  const context = objectIn(message.context) ?? none;
  const ofContext = objectIn(context.page) ?? none;
  const isPage = type === "page" || type === "screen";
  const page = isPage ? { ...ofContext, ...present(sent) } : ofContext;
  const screen = objectIn(context.screen) ?? none;
  return {
    kind: "event",
    name,
    page: pageOf(page, context),
    facts: {
      title: page.title,
      screen: screenIn(screen.width, screen.height),
      language: context.locale,
      version: objectIn(context.app)?.version,
      ...(isPage && { name: textIn(message.name) ?? sent.name }),
    },
    own: isPage ? without(sent, pageKeys) : sent,
    agent: agentIn(message),
    userId,
    session: isOfBrowser ? "by time" : { id: null },
    time: { timestamp: isoTimeIn(message.timestamp), sentAt },
    eventId: idIn(message.messageId),
  };
}

/** The values of a page that are there, and may stand in place of those of the context. */
function present(sent: JsonObject): JsonObject {
  const page: JsonObject = {};
  for (const key of pageKeys) if (textIn(sent[key]) !== null) page[key] = sent[key];
  return page;
}

function pageOf({ url, referrer }: JsonObject, context: JsonObject): ForeignPage {
  const campaign = objectIn(context.campaign);
  if (campaign === null) return { url, referrer };
  const named: JsonObject = {};
  for (const [key, value] of Object.entries(campaign)) {
    named[key === "name" ? "utm_campaign" : `utm_${key}`] = value;
  }
  return { url, referrer, campaign: named, campaignComesFirst: true };
}

const agentIn = ({ context }: JsonObject): string | null =>
  isObject(context) ? textIn(context.userAgent) : null;

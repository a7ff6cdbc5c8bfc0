import { atReceipt, traitsIn, unsupported } from "../foreign/item";
import { idIn, objectIn, readJson } from "../foreign/json";
import { mixpanelContent, mixpanelIdentity } from "../foreign/mixpanel";
import { isObject, type JsonObject } from "../properties";
import { brokenRule, isRefusal, type Refusal, wrongType } from "../refusal";
import {
  type Answer,
  type CollectingEndpoint,
  type Dialect,
  type ForeignItem,
  type ForeignRequest,
  type ItemVerdict,
  jsonAnswer,
  type Refused,
  textAnswer,
} from "./dialect";
import { readData } from "./reading/data-field";

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
  return mixpanelContent(event, headers.get("origin") === null ? { id: null } : "by time");
}

function profileIn(update: JsonObject): ForeignItem["content"] {
  const userId = idIn(update.$user_id) ?? idIn(update.$distinct_id);
  if (userId === null) return brokenRule("$distinct_id", "is required");
  return mixpanelIdentity(null, userId, traitsIn(objectIn(update.$set)), atReceipt);
}

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

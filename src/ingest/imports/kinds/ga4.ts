import { sha256Hex } from "../../../lib/ids";
import { countryNamed } from "../../foreign/country-names";
import type { ForeignEvent } from "../../foreign/item";
import { idIn, numberIn, objectIn, textIn, without } from "../../foreign/json";
import { deviceName, majorVersion, systemName } from "../../foreign/names";
import { isObject, type JsonObject } from "../../properties";
import { eventRow } from "../event-row";
import type { Importer, RowContent } from "../importer";
import { listRows, listsIn } from "../list";
import { unreadable, unsupportedRow } from "../table";

/** Google Analytics 4: the tables `events_*` of BigQuery, an event a line. Numbers are texts in them. */
export const ga4: Importer = {
  kind: "ga4",
  becomes: "events",
  recognizes: ({ head }) =>
    head.format === "json" &&
    head.records.some(
      ({ event_name, event_timestamp }) =>
        event_name !== undefined && event_timestamp !== undefined,
    ),
  async *read(file, { nowMs }) {
    for (const entry of listsIn(file)) yield* listRows(entry, (event) => rowOf(event, nowMs));
  },
};

/** Events that nobody caused: they say of others what our sessions say. */
const automatic: ReadonlySet<string> = new Set(["session_start", "first_visit", "user_engagement"]);

const microsecondsPerMs = 1_000;

function rowOf(event: JsonObject, nowMs: number): RowContent {
  const name = textIn(event.event_name);
  if (name === null) return unreadable;
  if (automatic.has(name)) return unsupportedRow;
  const params = paramsOf(event.event_params);
  const pseudoId = idIn(event.user_pseudo_id);
  const session = idIn(params.ga_session_id);
  const item: ForeignEvent = {
    ...{ kind: "event", name, agent: null },
    page: { url: params.page_location, referrer: params.page_referrer },
    facts: { title: params.page_title, ...deviceFacts(objectIn(event.device) ?? {}) },
    own: without(params, itsParams),
    userId: idIn(event.user_id) ?? pseudoId,
    session: { id: pseudoId === null || session === null ? null : `${pseudoId}.${session}` },
    time: {
      timestamp: (numberIn(event.event_timestamp) ?? Number.NaN) / microsecondsPerMs,
      sentAt: null,
    },
    eventId: idOf(event),
  };
  const country = countryNamed(textIn(objectIn(event.geo)?.country));
  return eventRow({ item, country }, nowMs);
}

const itsParams: ReadonlySet<string> = new Set([
  ...["page_location", "page_title", "page_referrer", "ga_session_id"],
]);

/** Parameters are a list of keys and values, of which one of several types is there. */
function paramsOf(list: unknown): JsonObject {
  const params: JsonObject = {};
  if (!Array.isArray(list)) return params;
  for (const one of list) {
    const value = isObject(one) && isObject(one.value) ? one.value : {};
    const key = isObject(one) ? textIn(one.key) : null;
    if (key === null || key === "__proto__") continue;
    const number = value.int_value ?? value.float_value ?? value.double_value;
    params[key] = value.string_value ?? numberIn(number);
  }
  return params;
}

function deviceFacts(device: JsonObject): JsonObject {
  const web = objectIn(device.web_info) ?? {};
  return {
    device: deviceName(textIn(device.category)),
    os: systemName(textIn(device.operating_system)),
    language: textIn(device.language),
    browser: textIn(web.browser) ?? textIn(device.browser),
    browser_version: majorVersion(idIn(web.browser_version) ?? idIn(device.browser_version)),
  };
}

/** An event has no id: what no two events have in common stands for one. */
const idOf = (event: JsonObject): string =>
  sha256Hex(
    JSON.stringify([
      ...[event.user_pseudo_id, event.event_timestamp, event.event_name],
      ...[event.event_bundle_sequence_id, event.batch_event_index],
    ]),
  );

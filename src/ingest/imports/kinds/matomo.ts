import { secondMs } from "../../../lib/clock";
import type { ForeignEvent } from "../../foreign/item";
import { idIn, numberIn, textIn } from "../../foreign/json";
import { countryOf, deviceName, majorVersion, systemName } from "../../foreign/names";
import { isObject, type JsonObject } from "../../properties";
import { eventRow } from "../event-row";
import type { Importer, RowContent } from "../importer";
import { listRows, listsIn } from "../list";
import { unreadable, unsupportedRow } from "../table";

/** Matomo: the answer of `Live.getLastVisitsDetails`. A visit has its actions, and facts of all of them. */
export const matomo: Importer = {
  kind: "matomo",
  becomes: "events",
  recognizes: ({ head }) =>
    head.format === "json" &&
    head.records.some(({ actionDetails }) => Array.isArray(actionDetails)),
  async *read(file, { nowMs }) {
    for (const entry of listsIn(file)) yield* listRows(entry, (visit) => rowsOf(visit, nowMs));
  },
};

function rowsOf(visit: JsonObject, nowMs: number): RowContent | readonly RowContent[] {
  const { actionDetails: actions } = visit;
  if (!Array.isArray(actions)) return unreadable;
  const facts = factsOf(visit);
  const country = countryOf(textIn(visit.countryCode));
  return actions.map((action: unknown, index): RowContent => {
    if (!isObject(action)) return unreadable;
    const known = actionOf(action);
    if (known === null) return unsupportedRow;
    const item: ForeignEvent = {
      kind: "event",
      name: known.name,
      page: {
        url: known.isPage ? action.url : null,
        referrer: index === 0 ? visit.referrerUrl : null,
      },
      facts: { ...facts, ...known.properties, title: action.pageTitle },
      own: { ...variablesOf(visit), ...variablesOf(action) },
      agent: null,
      userId: idIn(visit.userId) ?? idIn(visit.visitorId),
      session: { id: idIn(visit.idVisit) },
      time: { timestamp: (numberIn(action.timestamp) ?? Number.NaN) * secondMs, sentAt: null },
      eventId: idOf(visit, index),
    };
    return eventRow({ item, country }, nowMs);
  });
}

/** An action has no id. A visit's actions keep their order, and later ones come behind them. */
function idOf({ idSite, idVisit }: JsonObject, index: number): string | null {
  const visit = idIn(idVisit);
  return visit === null ? null : `matomo-${idIn(idSite) ?? ""}-${visit}-${index}`;
}

const factsOf = (visit: JsonObject): JsonObject => ({
  screen: textIn(visit.resolution),
  language: textIn(visit.languageCode),
  browser: textIn(visit.browserName),
  browser_version: majorVersion(idIn(visit.browserVersion)),
  os: systemName(textIn(visit.operatingSystemName)),
  device: deviceName(textIn(visit.deviceType)),
});

interface Action {
  readonly name: string;
  /** Tells whether its address is that of the page, not of what the visitor opened. */
  readonly isPage: boolean;
  readonly properties: JsonObject;
}

/** The kind of an action; null where the import stores nothing of it. */
function actionOf(action: JsonObject): Action | null {
  const onPage = (name: string, properties: JsonObject = {}) => ({
    name,
    isPage: true,
    properties,
  });
  const { eventCategory: category, eventName: name, url } = action;
  switch (action.type) {
    case "action":
      return onPage("page_view");
    case "event":
      return onPage(textIn(action.eventAction) ?? "", {
        ...{ category, name, value: numberIn(action.eventValue) },
      });
    case "search":
      return onPage("site_search", {
        query: action.siteSearchKeyword,
        category: action.siteSearchCategory,
        results: numberIn(action.siteSearchCount),
      });
    case "download":
      return { name: "$download", isPage: false, properties: { href: url } };
    case "outlink":
      return { name: "outgoing_link", isPage: false, properties: { href: url } };
    default:
      return goalOf(action);
  }
}

function goalOf(action: JsonObject): Action | null {
  const properties: JsonObject = { revenue: numberIn(action.revenue) };
  if (action.type === "ecommerceOrder") {
    return {
      name: "order",
      isPage: true,
      properties: { ...properties, order_id: idIn(action.orderId) },
    };
  }
  const goal = numberIn(action.goalId);
  if (action.type !== "goal" || goal === null || goal < 1) return null;
  return { name: `goal_${goal}`, isPage: true, properties };
}

/** Dimensions and custom variables of a visit or an action. */
function variablesOf(source: JsonObject): JsonObject {
  const own: JsonObject = {};
  for (const key of Object.keys(source)) {
    if (/^dimension[1-9]\d{0,3}$/.test(key)) own[key] = source[key];
  }
  const variables = isObject(source.customVariables) ? source.customVariables : {};
  for (const [number, variable] of Object.entries(variables)) {
    if (!isObject(variable)) continue;
    const of = (part: string): unknown =>
      variable[`customVariable${part}${number}`] ?? variable[`customVariablePage${part}${number}`];
    const name = textIn(of("Name"));
    if (name !== null && name !== "__proto__") own[name] = of("Value");
  }
  return own;
}

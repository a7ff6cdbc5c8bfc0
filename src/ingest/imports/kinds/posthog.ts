import type { ForeignEvent } from "../../foreign/item";
import { idIn, objectIn, textIn } from "../../foreign/json";
import { countryOf, deviceName, majorVersion, systemName } from "../../foreign/names";
import { posthogContent } from "../../foreign/posthog";
import type { JsonObject } from "../../properties";
import type { ExportedItem } from "../event-row";
import type { Importer } from "../importer";
import { peopleRows } from "../people";
import { timeIn } from "../times";

/** PostHog: an event a line, as its API and its batch exports write them. */
export const posthog: Importer = {
  kind: "posthog",
  becomes: "events",
  recognizes: ({ head }) =>
    head.format === "json" &&
    head.records.some(
      ({ event, distinct_id }) => textIn(event) !== null && idIn(distinct_id) !== null,
    ),
  read: (file, options) =>
    peopleRows(file, options, {
      content: (event) => {
        const time = { timestamp: timeIn(textIn(event.timestamp), options.timeZone), sentAt: null };
        return posthogContent(event, objectIn(event.properties) ?? {}, time);
      },
      exported: (item, { properties }) =>
        productFacts(item, objectIn(properties) ?? {}, "$geoip_country_code"),
    }),
};

/** Adds what the product found out about browser, system, device and country. */
export function productFacts(
  item: ForeignEvent,
  properties: JsonObject,
  countryKey: string,
): ExportedItem {
  const { $browser, $browser_version, $os, $device_type } = properties;
  const browser = textIn($browser);
  const facts = {
    ...item.facts,
    browser,
    browser_version: majorVersion(idIn($browser_version)),
    os: systemName(textIn($os)),
    device: deviceName(textIn($device_type)),
  };
  // Where the product names a browser, the agent has nothing to add.
  const agent = browser === null ? item.agent : null;
  return { item: { ...item, facts, agent }, country: countryOf(textIn(properties[countryKey])) };
}

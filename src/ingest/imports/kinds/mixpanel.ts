import { objectIn, textIn } from "../../foreign/json";
import { mixpanelContent } from "../../foreign/mixpanel";
import { isObject } from "../../properties";
import type { Importer } from "../importer";
import { peopleRows } from "../people";
import { wallClockMs } from "../times";
import { productFacts } from "./posthog";

/** Mixpanel: the raw export. Its times count seconds of the clocks of the project's zone, as if they were UTC. */
export const mixpanel: Importer = {
  kind: "mixpanel",
  becomes: "events",
  recognizes: ({ head }) =>
    head.format === "json" &&
    head.records.some(
      ({ event, properties, timestamp }) =>
        textIn(event) !== null &&
        timestamp === undefined &&
        isObject(properties) &&
        properties.time !== undefined,
    ),
  read: (file, options) =>
    peopleRows(file, options, {
      content: (event) => mixpanelContent(event, { id: null }),
      exported: (item, { properties }) => {
        const shownMs = item.time.timestamp ?? Number.NaN;
        const timestamp = wallClockMs(shownMs, options.timeZone);
        const moved = { ...item, time: { timestamp, sentAt: null } };
        return productFacts(moved, objectIn(properties) ?? {}, "mp_country_code");
      },
    }),
};

import { describe, expect, test } from "bun:test";
import { eventsOf, openAt, rowsAt, samplePath } from "./files";

/** The same thirteen hits, as seven products export them. */
const hits = [
  ["2026-11-16T03:12:47.000Z", "page_view", "/korb"],
  ["2026-11-16T03:15:04.000Z", 'kauf "groß", ja', "/preise"],
  ["2026-11-16T03:17:02.000Z", "page_view", '/blog/erde,und"mehr'],
  ["2026-11-16T15:32:56.000Z", "page_view", "/"],
  ["2026-11-17T14:17:00.000Z", "page_view", "/korb"],
  ["2026-11-17T14:19:30.000Z", "signup", "/preise"],
  ["2026-11-19T04:29:54.000Z", "page_view", "/"],
  ["2026-11-19T04:32:54.000Z", 'kauf "groß", ja', "/korb"],
  ["2026-11-19T10:01:52.000Z", "page_view", '/blog/erde,und"mehr'],
  ["2026-11-19T10:05:14.000Z", "page_view", '/blog/erde,und"mehr'],
  ["2026-11-19T10:05:29.000Z", "page_view", "/preise"],
  ["2026-11-19T10:06:34.000Z", "page_view", "/korb"],
  ["2026-11-19T10:08:47.000Z", "page_view", "/preise"],
];

const samples = [
  { name: "events.jsonl", kind: "events" },
  { name: "ga4.jsonl", kind: "ga4" },
  { name: "goatcounter-2.csv", kind: "goatcounter" },
  { name: "matomo.json", kind: "matomo" },
  { name: "mixpanel.jsonl", kind: "mixpanel" },
  { name: "posthog.jsonl", kind: "posthog" },
  { name: "umami.zip", kind: "umami" },
] as const;

describe("one week of a site, as", () => {
  for (const { name, kind } of samples) {
    test(name, async () => {
      expect(await openAt(samplePath(name))).toMatchObject({ kind, becomes: "events" });
      const events = eventsOf(await rowsAt(samplePath(name)));
      const isPathless = (event: string) => kind === "goatcounter" && event !== "page_view";
      expect(
        events.map(({ timeMs, name: event, properties }) => [
          ...[new Date(timeMs).toISOString(), event],
          JSON.parse(JSON.stringify(properties)).path ?? null,
        ]),
      ).toEqual(
        hits.map(([time = "", event = "", path]) => [
          ...[time, event],
          // A browser's form of the address escapes the quote, and GoatCounter's events have no page.
          isPathless(event) ? null : kind === "events" ? path : path?.replaceAll('"', "%22"),
        ]),
      );
      expect(events.map(({ country }) => country)).toEqual([
        "US",
        "US",
        "US",
        "US",
        "AT",
        "AT",
        "AT",
        "AT",
        "US",
        "US",
        "US",
        "US",
        "US",
      ]);
      const sessions = new Set(events.map(({ sessionId }) => sessionId));
      expect(sessions.size).toBe(kind === "mixpanel" ? 1 : 5);
    });
  }
});

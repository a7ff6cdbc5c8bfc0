import { afterAll, describe, expect, test } from "bun:test";
import { eventsOf, Files, onlyEvent, openAt, rowsAt, samplePath } from "./files";
import { zip } from "./zip";

const files = new Files();
afterAll(() => files.remove());

const line = (object: object): string => `${JSON.stringify(object)}\n`;

describe("Umami", () => {
  const header =
    "session_id,event_type,created_at,event_id,event_name,browser,os,device,url_path,hostname";

  test("an event with its data: ids, names of systems, and a time in the zone of the import", async () => {
    const [view, bought] = eventsOf(
      await rowsAt(samplePath("umami.zip"), { timeZone: "Asia/Tokyo" }),
    );
    expect(view).toMatchObject({
      ...{ name: "page_view", userId: "kd-p41", sessionId: "v2", country: "US" },
      timeMs: Date.parse("2026-11-16T03:12:47+09:00"),
      properties: {
        ...{ url: "https://garten.example/korb", path: "/korb", hostname: "garten.example" },
        ...{ referrer: "https://suche.example/q", title: "Start", browser: "Edge", os: "Android" },
        ...{ device: "tablet", screen: "390x844", language: "de-DE" },
      },
    });
    // The data of an event is in a table of its own.
    expect(bought?.properties).toMatchObject({ plan: "pro", n: 7 });
  });

  test("data of every type, under the older names of columns too", async () => {
    const data = `event_id,event_key,string_value,number_value,date_value,data_type
e1,text,x,\\N,\\N,1
e1,number,\\N,1.5000,\\N,2
e1,yes,true,\\N,\\N,3
e1,day,\\N,\\N,2026-01-01,4
e2,of,another,\\N,\\N,1
,of none,x,,,1
`;
    const rows = await files.rows(
      zip([
        {
          name: "export/website_event.csv",
          content: `${header}\ns,2,2026-01-01 00:00:00,e1,buy,,,,,\n`,
        },
        { name: "export/event_data.csv", content: data },
      ]),
    );
    expect(onlyEvent(rows)).toMatchObject({
      ...{ name: "buy", userId: "s", sessionId: "s" },
      properties: { text: "x", number: 1.5, yes: true, day: "2026-01-01" },
    });
    expect(rows.filter(({ kind }) => kind === "refused")).toEqual([
      { line: 7, kind: "refused", code: "INVALID_BODY" },
    ]);
  });

  test("other types of events are unsupported, unknown browsers are so called", async () => {
    const rows = await files.rows(`${header}
s,3,2026-01-01 00:00:00,e1,,,,,/a,
s,1,2026-01-01 00:00:00,e2,,crios,Windows 10,laptop,/a?b=1,
s,1,2026-01-01 00:00:00,e3,,silk,Chrome OS,,/a,
`);
    expect(rows.map(({ kind }) => kind)).toEqual(["unsupported", "event", "event"]);
    expect(eventsOf(rows).map(({ properties }) => properties)).toEqual([
      { path: "/a", browser: "Chrome", os: "Windows", device: "desktop" },
      { path: "/a", browser: "Unknown", os: "ChromeOS" },
    ]);
  });
});

describe("GoatCounter", () => {
  const header =
    "2Path,Title,Event,Browser,System,Session,Bot,Referrer,Referrer scheme,Screen size,Location,Date";
  const row = (start: string) => `${header}\n${start},DE-BE,2026-01-01T00:00:00Z\n`;

  test("where a visit came from, by the scheme", async () => {
    const from = async (referrer: string) =>
      onlyEvent(await files.rows(row(`/a,,0,,,s,0,${referrer},"0,0,1"`))).properties;
    expect(await from("zeitung.example/x,h")).toEqual({
      ...{ path: "/a", referrer: "https://zeitung.example/x" },
    });
    expect(await from("brief,c")).toEqual({ path: "/a", utm_campaign: "brief" });
    expect(await from("Hacker News,g")).toEqual({ path: "/a", referrer_name: "Hacker News" });
    expect(await from("android-app,o")).toEqual({ path: "/a", referrer_name: "android-app" });
  });

  test("a bot is unsupported; an event has its name in the column of paths", async () => {
    expect(await files.rows(row('/a,,0,,,s,1,,,""'))).toEqual([{ line: 2, kind: "unsupported" }]);
    expect(
      onlyEvent(await files.rows(row('klick,,1,Chrome 131.2,macOS 10.15,s,0,,,"390,844,2"'))),
    ).toEqual({
      ...{ name: "klick", timeMs: Date.parse("2026-01-01"), userId: "s", sessionId: "s" },
      ...{ country: "DE", eventId: null, foreignId: null },
      properties: { screen: "390x844", browser: "Chrome", browser_version: "131", os: "macOS" },
    });
  });

  test("version 1 has whole agents", async () => {
    const agent = "Mozilla/5.0 (Windows NT 10.0; rv:140.0) Gecko/20100101 Firefox/140.0";
    const rows = await files.rows(
      `1Path,Session,Browser,Date\n/a,s,${agent},2020-01-01T00:00:00Z\n`,
    );
    expect(onlyEvent(rows).properties).toEqual({
      ...{
        path: "/a",
        browser: "Firefox",
        browser_version: "140",
        os: "Windows",
        device: "desktop",
      },
    });
  });
});

test("Matomo: actions of every type, the visitor's facts on each, the referrer on the first", async () => {
  const timestamp = 1_794_798_767;
  const action = (type: string, fields: object) => ({ type, timestamp, ...fields });
  const visit = {
    ...{ idSite: 1, idVisit: 7, visitorId: "abc", countryCode: "de", deviceType: "Smartphone" },
    ...{ browserName: "Chrome", browserVersion: "131.0.1", operatingSystemName: "GNU/Linux" },
    ...{ referrerUrl: "https://suche.example/q", dimension2: "gold" },
    actionDetails: [
      action("action", { url: "https://garten.example/a?x=1", pageTitle: "A" }),
      action("search", {
        url: "https://garten.example/s",
        siteSearchKeyword: "rose",
        siteSearchCount: 3,
      }),
      action("download", { url: "https://garten.example/plan.pdf" }),
      action("outlink", { url: "https://zeitung.example/" }),
      action("goal", { goalId: 4, revenue: 9 }),
      action("ecommerceOrder", { orderId: "o1", revenue: "5.5" }),
      action("ecommerceAbandonedCart", {}),
      "no action",
    ],
  };
  const rows = await files.rows(line(visit));
  expect(rows.map((row) => (row.kind === "event" ? row.event.name : row.kind))).toEqual([
    ...["page_view", "site_search", "$download", "outgoing_link", "goal_4", "order"],
    ...["unsupported", "refused"],
  ]);
  const [view, search, download, , goal, order] = eventsOf(rows);
  expect(view).toEqual({
    ...{
      name: "page_view",
      timeMs: timestamp * 1_000,
      userId: "abc",
      sessionId: "7",
      country: "DE",
    },
    ...{ eventId: "matomo-1-7-0", foreignId: "matomo-1-7-0" },
    properties: {
      ...{ url: "https://garten.example/a", path: "/a", hostname: "garten.example", title: "A" },
      ...{ browser: "Chrome", browser_version: "131", os: "Linux", device: "mobile" },
      ...{ referrer: "https://suche.example/q", dimension2: "gold" },
    },
  });
  expect(search?.properties).toMatchObject({ query: "rose", results: 3, path: "/s" });
  expect(search?.properties).not.toHaveProperty("referrer");
  expect(download?.properties).toMatchObject({ href: "https://garten.example/plan.pdf" });
  expect(download?.properties).not.toHaveProperty("path");
  expect([goal?.properties, order?.properties]).toMatchObject([
    ...[{ revenue: 9 }, { revenue: 5.5, order_id: "o1" }],
  ]);
});

describe("PostHog and Mixpanel", () => {
  const timestamp = "2026-11-16T03:12:47Z";

  test("ids that are linked anywhere in a file are one person in all of it", async () => {
    const event = (distinct_id: string, name: string, properties: object = {}) =>
      line({ event: name, distinct_id, timestamp, properties });
    const rows = await files.rows(
      event("anon-1", "$pageview") +
        event("known", "$identify", { $anon_distinct_id: "anon-1" }) +
        event("known", "$create_alias", { alias: "anon-2" }) +
        event("anon-2", "buy") +
        event("final", "$identify", { $anon_distinct_id: "known" }) +
        event("other", "buy"),
    );
    expect(eventsOf(rows).map(({ name, userId }) => [name, userId])).toEqual([
      ...[
        ["page_view", "final"],
        ["buy", "final"],
        ["buy", "other"],
      ],
    ]);
    expect(rows.filter(({ kind }) => kind === "unsupported").map((row) => row.line)).toEqual([
      2, 3, 5,
    ]);
  });

  test("a file is read twice, of which its progress knows", async () => {
    const open = await openAt(samplePath("posthog.jsonl"));
    const seen: number[] = [];
    for await (const _ of open.pieces()) seen.push(open.progress());
    expect(Math.min(...seen)).toBeGreaterThan(0.5);
    expect(open.progress()).toBe(1);
  });

  test("PostHog's properties may be JSON text, and say browser, system and country", async () => {
    const properties = JSON.stringify({
      ...{ $current_url: "https://garten.example/a", $browser: "Safari", $browser_version: 17.4 },
      ...{ $os: "Mac OS X", $device_type: "Mobile", $geoip_country_code: "AT", $lib: "web", n: 7 },
    });
    const event = { event: "buy", distinct_id: "p", timestamp: "2026-11-16 03:12:47", properties };
    const rows = await files.rows(line({ ...event, uuid: "u-1" }), { timeZone: "Europe/Berlin" });
    expect(onlyEvent(rows)).toEqual({
      ...{ name: "buy", timeMs: Date.parse("2026-11-16T02:12:47Z"), userId: "p", sessionId: null },
      ...{ country: "AT", eventId: "u-1", foreignId: "u-1" },
      properties: {
        ...{ n: 7, browser: "Safari", browser_version: "17", os: "macOS", device: "mobile" },
        ...{ url: "https://garten.example/a", path: "/a", hostname: "garten.example" },
      },
    });
  });

  test("Mixpanel's times count seconds that clocks of the zone showed", async () => {
    const time = Date.parse("2026-07-01T10:00:00Z") / 1_000;
    const properties = { time, distinct_id: "p", $insert_id: "i-1" };
    const rows = await files.rows(line({ event: "buy", properties }), {
      timeZone: "Europe/Berlin",
    });
    expect(onlyEvent(rows).timeMs).toBe(Date.parse("2026-07-01T08:00:00Z"));
  });
});

test("Google Analytics: parameters by their keys, one id an event, countries by name", async () => {
  const event = (country: string, fields: object = {}) =>
    line({
      ...{ event_name: "buy", event_timestamp: "1794798904000000", user_pseudo_id: "100.1" },
      event_params: [
        { key: "ga_session_id", value: { int_value: "17" } },
        {
          key: "page_location",
          value: { string_value: "https://garten.example/a?utm_source=brief" },
        },
        { key: "n", value: { int_value: "7" } },
        { key: "price", value: { double_value: 1.5 } },
      ],
      ...{ geo: { country }, device: { category: "desktop", operating_system: "Macintosh" } },
      ...fields,
    });
  const rows = await files.rows(
    event("Germany") +
      event("Germany") +
      event("Türkiye", { user_id: "ann" }) +
      event("Hong Kong") +
      event("Bosnia & Herzegovina") +
      event("Côte d’Ivoire") +
      event("(not set)", { event_name: "first_visit" }),
  );
  const [first, same, third, ...others] = eventsOf(rows);
  expect(first).toMatchObject({
    ...{
      name: "buy",
      timeMs: 1_794_798_904_000,
      userId: "100.1",
      sessionId: "100.1.17",
      country: "DE",
    },
    properties: {
      ...{ n: 7, price: 1.5, path: "/a", utm_source: "brief", device: "desktop", os: "macOS" },
    },
  });
  expect(first?.foreignId).toBe(same?.foreignId ?? "");
  expect(third).toMatchObject({ userId: "ann", country: "TR" });
  expect(others.map(({ country }) => country)).toEqual(["HK", "BA", "CI"]);
  expect(rows.at(-1)?.kind).toBe("unsupported");
});

import { describe, expect, test } from "bun:test";
import { nextPage, openPage, type PageOptions } from "../test/support/browser/tracker-page";

async function propertiesOf(options: PageOptions): Promise<Record<string, unknown>> {
  const [event] = await openPage(options).events();
  return event?.properties ?? {};
}

test("every event says where it happened, on what, and how the visitor came", async () => {
  const properties = await propertiesOf({
    url: "https://shop.example.com/cart/2?utm_source=news&utm_medium=mail&secret=1#top",
    referrer: "https://search.example.org/find?q=private",
    title: "Cart",
  });
  expect(properties).toEqual({
    page: "Cart",
    url: "https://shop.example.com/cart/2",
    referrer: "https://search.example.org/find",
    path: "/cart/2",
    hostname: "shop.example.com",
    title: "Cart",
    screen: "1920x1080",
    language: "en-US",
    timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    browser: "Chrome",
    browser_version: "140",
    os: "Linux",
    device: "desktop",
    session_count: 1,
    days_since_first_visit: 0,
    utm_source: "news",
    utm_medium: "mail",
    first_utm_source: "news",
    first_utm_medium: "mail",
  });
});

test("a referrer that is no web address is empty", async () => {
  for (const referrer of ["", "android-app://com.example/", "about:blank", "file:///etc/passwd"]) {
    expect((await propertiesOf({ referrer })).referrer).toBe("");
  }
});

const safari = "AppleWebKit/605.1.15 (KHTML, like Gecko)";
const iphone = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_7 like Mac OS X)";
const chromium = "AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0";
const agents: readonly (readonly [
  agent: string,
  browser: string,
  version: string | undefined,
  os: string,
])[] = [
  [
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${chromium} Safari/537.36 Edg/139.0.1`,
    "Edge",
    "139",
    "Windows",
  ],
  [
    `Mozilla/5.0 (Linux; Android 10; HD1913) ${chromium} Mobile Safari/537.36 EdgA/138.0`,
    "Edge",
    "138",
    "Android",
  ],
  [
    `${iphone} ${safari} Version/17.0 EdgiOS/137.0 Mobile/15E148 Safari/605.1.15`,
    "Edge",
    "137",
    "iOS",
  ],
  [
    `Mozilla/5.0 (Windows NT 10.0) ${chromium} Safari/537.36 OPR/117.0.0.0`,
    "Opera",
    "117",
    "Windows",
  ],
  [
    `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${chromium} Safari/537.36`,
    "Chrome",
    "140",
    "macOS",
  ],
  [
    `Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${chromium} Safari/537.36`,
    "Chrome",
    "140",
    "ChromeOS",
  ],
  [
    `Mozilla/5.0 (iPad; CPU OS 17_7 like Mac OS X) ${safari} CriOS/140.0.1 Mobile/15E148 Safari/604.1`,
    "Chrome",
    "140",
    "iOS",
  ],
  [
    `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${safari} Version/17.4.1 Safari/605.1.15`,
    "Safari",
    "17",
    "macOS",
  ],
  [`${iphone} ${safari} FxiOS/128.0 Mobile/15E148 Safari/605.1.15`, "Firefox", "128", "iOS"],
  [
    "Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0",
    "Firefox",
    "133",
    "Linux",
  ],
  ["Mozilla/5.0 (PlayStation 5)", "Unknown", undefined, "Unknown"],
];

describe("browser and system", () => {
  for (const [agent, browser, version, os] of agents) {
    test(`${browser} ${version ?? ""} on ${os}`, async () => {
      const properties = await propertiesOf({ agent });
      expect([properties.browser, properties.browser_version, properties.os]).toEqual([
        browser,
        version,
        os,
      ]);
    });
  }

  const hinted = (userAgentData: unknown): PageOptions => ({
    prepare: ({ window }) =>
      Object.defineProperty(window.navigator, "userAgentData", { value: userAgentData }),
  });

  test("client hints override the agent", async () => {
    const brands = [
      { brand: "Not/A)Brand", version: "8" },
      { brand: "Chromium", version: "141" },
      { brand: "Microsoft Edge", version: "141" },
    ];
    const properties = await propertiesOf(hinted({ brands, mobile: false, platform: "Chrome OS" }));
    expect([properties.browser, properties.browser_version, properties.os]).toEqual([
      "Edge",
      "141",
      "ChromeOS",
    ]);
  });

  test("platforms as hints spell them", async () => {
    for (const [platform, os] of [
      ["Windows", "Windows"],
      ["macOS", "macOS"],
      ["Android", "Android"],
      ["Chromium OS", "ChromeOS"],
      ["Linux", "Linux"],
      ["iOS", "iOS"],
    ]) {
      expect((await propertiesOf(hinted({ brands: [], platform }))).os).toBe(os as string);
    }
  });

  test("hints that say nothing leave it to the agent", async () => {
    const properties = await propertiesOf(
      hinted({ brands: [{ brand: "Not A;Brand", version: "99" }], mobile: false, platform: "" }),
    );
    expect([properties.browser, properties.os]).toEqual(["Chrome", "Linux"]);
  });
});

describe("device", () => {
  const windows = `Mozilla/5.0 (Windows NT 10.0) ${chromium} Safari/537.36`;
  for (const [name, agent, screenWidth, device] of [
    ["the agent says Tablet", `${windows} Tablet`, 1920, "tablet"],
    ["the agent says iPad", "Mozilla/5.0 (iPad; Mobile)", 1024, "tablet"],
    ["768 wide", windows, 768, "tablet"],
    ["1023 wide", windows, 1023, "tablet"],
    ["800 wide, but Mobi", `${windows} Mobile`, 800, "mobile"],
    ["767 wide", windows, 767, "mobile"],
    ["wide, but Mobi", `${windows} Mobile`, 1920, "mobile"],
    ["1024 wide", windows, 1024, "desktop"],
  ] as const) {
    test(`${name}: ${device}`, async () => {
      expect((await propertiesOf({ agent, screenWidth })).device).toBe(device);
    });
  }

  test("a client hint wins", async () => {
    const prepare: PageOptions["prepare"] = ({ window }) =>
      Object.defineProperty(window.navigator, "userAgentData", { value: { mobile: true } });
    expect((await propertiesOf({ agent: `${windows} Tablet`, prepare })).device).toBe("mobile");
  });
});

describe("campaigns", () => {
  const utm = (properties: Record<string, unknown>): Record<string, unknown> =>
    Object.fromEntries(Object.entries(properties).filter(([name]) => name.includes("utm_")));

  test("the session keeps the last address that named one, the visitor the first for ever", async () => {
    const first = openPage({ url: "https://shop.example.com/?utm_source=a&utm_medium=b" });
    expect(utm((await first.events())[0]?.properties ?? {})).toEqual({
      utm_source: "a",
      utm_medium: "b",
      first_utm_source: "a",
      first_utm_medium: "b",
    });
    const second = nextPage(first, { url: "https://shop.example.com/plain" });
    expect(utm((await second.events())[0]?.properties ?? {})).toMatchObject({ utm_source: "a" });
    const third = nextPage(second, { url: "https://shop.example.com/?utm_campaign=c" });
    expect(utm((await third.events())[0]?.properties ?? {})).toEqual({
      utm_campaign: "c",
      first_utm_source: "a",
      first_utm_medium: "b",
    });
  });

  test("a new session does not inherit the campaign of the one before", async () => {
    const first = openPage({ url: "https://shop.example.com/?utm_source=a" });
    await first.events();
    const later = nextPage(first, {
      url: "https://shop.example.com/",
      nowMs: first.nowMs + 31 * 60_000,
    });
    expect(utm((await later.events())[0]?.properties ?? {})).toEqual({ first_utm_source: "a" });
  });

  test("all five, and nothing else of the query string", async () => {
    const query = ["source", "medium", "campaign", "content", "term", "id"].map(
      (name) => `utm_${name}=${name}`,
    );
    const properties = await propertiesOf({
      url: `https://shop.example.com/?${query.join("&")}&gclid=1`,
    });
    expect(Object.keys(utm(properties))).toHaveLength(10);
    expect(JSON.stringify(properties)).not.toMatch(/utm_id|gclid/);
  });
});

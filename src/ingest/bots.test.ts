import { describe, expect, test } from "bun:test";
import crawlers from "crawler-user-agents";
import { isbot } from "isbot";
import { processorMs } from "../../test/support/suite/processor-time";
import { operatedActors, operatorOf } from "../domain/bot-operators";
import { knownActors } from "./bot-table";
import { automatedBy } from "./bots";

const webKit = "AppleWebKit/537.36 (KHTML, like Gecko)";
const desktop = `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webKit}`;
const phone = `Mozilla/5.0 (Linux; Android 14; Pixel 8) ${webKit}`;
const iPhone = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15";

const people: readonly string[] = [
  `${desktop} Chrome/126.0.0.0 Safari/537.36`,
  `${desktop} Chrome/126.0.0.0 Safari/537.36 Edg/126.0.2592.87`,
  `${desktop} Chrome/125.0.0.0 Safari/537.36 OPR/111.0.0.0`,
  `${desktop} Chrome/126.0.0.0 Safari/537.36 Vivaldi/6.8`,
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:127.0) Gecko/20100101 Firefox/127.0",
  "Mozilla/5.0 (X11; Ubuntu; Linux x86_64; rv:127.0) Gecko/20100101 Firefox/127.0",
  `Mozilla/5.0 (X11; Linux x86_64) ${webKit} Chrome/126.0.0.0 Safari/537.36`,
  `Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${webKit} Chrome/126.0.0.0 Safari/537.36`,
  "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/17.5 Safari/605",
  `${iPhone} (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1`,
  `${iPhone} (KHTML, like Gecko) CriOS/126.0.6478.54 Mobile/15E148 Safari/604.1`,
  `${iPhone} (KHTML, like Gecko) Mobile/15E148 Instagram 336.0.0.23.90 (iPhone14,3; iOS 17_5)`,
  `${iPhone} (KHTML, like Gecko) Mobile/15E148 [FBAN/FBIOS;FBAV/469.0.0.37.104;FBDV/iPhone14,3]`,
  `${phone} Chrome/126.0.0.0 Mobile Safari/537.36`,
  `${phone} SamsungBrowser/25.0 Chrome/121.0.0.0 Mobile Safari/537.36`,
  `Mozilla/5.0 (Linux; Android 7.0; Cubot Note 30) ${webKit} Chrome/99.0 Mobile Safari/537.36`,
  `Mozilla/5.0 (Linux; Android 10; CUBOT_X30) ${webKit} Chrome/99.0 Mobile Safari/537.36`,
  "Mozilla/5.0 (Android 14; Mobile; rv:127.0) Gecko/127.0 Firefox/127.0",
  "Mozilla/5.0 (compatible; MSIE 10.0; Windows NT 6.2; Trident/6.0)",
  "Mozilla/5.0 (Windows NT 10.0; WOW64; Trident/7.0; rv:11.0) like Gecko",
  `Mozilla/5.0 (SMART-TV; Linux; Tizen 6.0) ${webKit} SamsungBrowser/2.1 Chrome/56 TV Safari/538.1`,
  `Mozilla/5.0 (PlayStation; PlayStation 5/6.00) AppleWebKit/605.1.15 (KHTML, like Gecko)`,
  `${desktop} Chrome/126.0.0.0 Safari/537.36 ChatGPT/1.2024.198`,
];

const ownPrograms: readonly string[] = [
  "my-shop/1.0",
  "my-app/1.0",
  "my-shop/2",
  "MyShop/v3.1.4",
  "checkout.service/2026.07.01-rc1",
  "my-shop/1.0 (orders)",
  "sightline-e2e/1.0",
];

const automated: readonly (readonly [agent: string, category: string, actor: string])[] = [
  ["Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)", "ai_agent", "GPTBot"],
  [`${desktop}; compatible; ChatGPT-User/1.0; +https://openai.com/bot`, "ai_agent", "ChatGPT-User"],
  ["Mozilla/5.0 (compatible; ClaudeBot/1.0; +claudebot@anthropic.com)", "ai_agent", "ClaudeBot"],
  [`${webKit}; compatible; OAI-SearchBot/1.0`, "ai_agent", "OAI-SearchBot"],
  ["Mozilla/5.0 (compatible; Claude-User/1.0)", "ai_agent", "Claude-User"],
  ["meta-externalagent/1.1 (+https://developers.facebook.com)", "ai_agent", "Meta-ExternalAgent"],
  ["CCBot/2.0 (https://commoncrawl.org/faq/)", "ai_agent", "CCBot"],
  ["BYTESPIDER", "ai_agent", "Bytespider"],
  ["Mozilla/5.0 (compatible; Googlebot/2.1)", "search_crawler", "Googlebot"],
  ["Mozilla/5.0 (compatible; bingbot/2.0)", "search_crawler", "Bingbot"],
  ["Mozilla/5.0 (compatible; Yahoo! Slurp; http://help.yahoo.com)", "search_crawler", "Slurp"],
  ["Mozilla/5.0 (compatible; YandexBot/3.0)", "search_crawler", "YandexBot"],
  ["Sogou web spider/4.0", "search_crawler", "Sogou"],
  ["facebookexternalhit/1.1", "social_preview", "facebookexternalhit"],
  ["WhatsApp/2.23.20.0", "social_preview", "WhatsApp"],
  ["Slackbot-LinkExpanding 1.0", "social_preview", "Slackbot"],
  ["Mozilla/5.0 (compatible; AhrefsBot/7.0)", "seo_research", "AhrefsBot"],
  ["Screaming Frog SEO Spider/19.0", "seo_research", "Screaming Frog"],
  [`${desktop} HeadlessChrome/126.0.0.0 Safari/537.36`, "headless_browser", "HeadlessChrome"],
  [`${desktop} Chrome/126.0 Safari/537.36 Puppeteer/24`, "headless_browser", "Puppeteer"],
  [`${phone} Chrome/126 Safari/537.36 Chrome-Lighthouse`, "monitoring_perf", "Lighthouse"],
  ["Mozilla/5.0+(compatible; UptimeRobot/2.0)", "monitoring_perf", "UptimeRobot"],
  ["curl/8.5.0", "automation_script", "curl"],
  ["Wget/1.21.4", "automation_script", "wget"],
  ["python-requests/2.32.3", "automation_script", "python-requests"],
  ["HTTPie/3.2.2", "automation_script", "HTTPie"],
  ["axios/1.7.2", "automation_script", "axios"],
  ["node-fetch/1.0 (+https://github.com/bitinn/node-fetch)", "automation_script", "node-fetch"],
  ["Bun/1.4.5", "automation_script", "bun"],
  ["Deno/1.44.0", "automation_script", "deno"],
  ["node/22.1.0", "automation_script", "node"],
  ["Mozilla/5.0 (compatible; AcmeCrawler/2.0)", "generic_bot", "AcmeCrawler"],
  ["AcmeSpider", "generic_bot", "AcmeSpider"],
  ["price-scraper/1.0", "generic_bot", "price-scraper"],
  ["Mozilla/5.0 (compatible; bot; research)", "generic_bot", "Unknown"],
  ["my bot/1", "generic_bot", "Unknown"],
  ["Mozilla/5.0 (bot, v2)", "generic_bot", "Unknown"],
  ["acme bot) x", "generic_bot", "Unknown"],
  ["acme bot-like thing", "generic_bot", "Unknown"],
  ["acme bot of the shop", "generic_bot", "Unknown"],
  ["acme crawl/2", "generic_bot", "Unknown"],
  ["acme crawled (it)", "generic_bot", "Unknown"],
  ["acme spider-web (it)", "generic_bot", "Unknown"],
  ["acme scrape/1 (it)", "generic_bot", "Unknown"],
  ["Mozilla/5.0 (compatible; SeznamBot/4.0)", "generic_bot", "SeznamBot"],
  ["Mozilla/5.0 (compatible; QwertzBot/0.1)", "generic_bot", "QwertzBot"],
  [
    "Mozilla/5.0 (compatible; QwertzImages/3.0; +http://x.test/bots)",
    "generic_bot",
    "QwertzImages",
  ],
  ["okhttp/4.12.0", "generic_bot", "okhttp"],
  ["PostmanRuntime/7.39.0", "generic_bot", "PostmanRuntime"],
  ["Java/17.0.2", "generic_bot", "Java"],
  ["acme", "generic_bot", "acme"],
  ["Mozilla/5.0", "generic_bot", "Unknown"],
  ["Mozilla/5.0 (http://example.com)", "generic_bot", "Unknown"],
  ["", "generic_bot", "Unknown"],
  ["   ", "generic_bot", "Unknown"],
];

describe("people", () => {
  for (const agent of [...people, ...ownPrograms]) {
    test(agent, () => expect(automatedBy(agent)).toBeNull());
  }
});

describe("automated senders", () => {
  for (const [agent, category, actor] of automated) {
    test(`${agent} is ${actor}`, () =>
      expect<unknown>(automatedBy(agent)).toEqual({ category, actor }));
  }
  test("no header at all", () =>
    expect(automatedBy(null)).toEqual({ category: "generic_bot", actor: "Unknown" }));

  test("every actor of the table is found by its token, in any case, within other words", () => {
    for (const { actor, category, token } of knownActors) {
      expect(automatedBy(`x ${token.toUpperCase()} y`)).toEqual({ category, actor });
    }
    expect(knownActors).toHaveLength(67);
  });

  test("each is of a known operator, or a program that anybody may run", () => {
    const withoutOperator = knownActors.filter(({ actor }) => operatorOf(actor) === null);
    const tools = withoutOperator.filter(({ category }) => category !== "automation_script");
    expect(tools.map(({ actor }) => actor)).toEqual([
      ...["Screaming Frog", "HeadlessChrome", "PhantomJS", "Puppeteer", "Playwright", "Selenium"],
      "Lighthouse",
    ]);
    for (const actor of operatedActors) {
      expect(automatedBy(`Mozilla/5.0 (compatible; ${actor}/1.0)`)?.actor).toBe(actor);
    }
    expect([operatorOf("toString"), operatorOf("gptbot"), operatorOf("")]).toEqual([
      null,
      null,
      null,
    ]);
  });

  test("the earlier row of the table wins", () => {
    expect(automatedBy("curl/8 Googlebot GPTBot")?.actor).toBe("GPTBot");
    expect(automatedBy("curl/8 Googlebot")?.actor).toBe("Googlebot");
    expect(automatedBy("AcmeCrawler curl/8")?.actor).toBe("curl");
  });
});

describe("against the agents that the crawler list has seen", () => {
  const seen = crawlers.flatMap(({ instances }) => instances);

  test("letting a site's own programs pass lets none of them pass", () => {
    expect(seen.length).toBeGreaterThan(2_000);
    expect(seen.filter((agent) => isbot(agent) && automatedBy(agent) === null)).toEqual([]);
  });

  test("nine of ten get a name, and none is an address", () => {
    const actors = seen.map((agent) => automatedBy(agent)?.actor ?? "Unknown");
    const unknown = actors.filter((actor) => actor === "Unknown");
    expect(unknown.length).toBeLessThan(seen.length / 10);
    expect(actors.filter((actor) => actor.includes("/"))).toEqual([]);
  });
});

describe("hostile agents", () => {
  test("an actor is at most 64 printable ASCII characters", () => {
    expect(automatedBy(`${"é\u0007".repeat(9)}${"a".repeat(90)}Crawler`)?.actor).toBe(
      "a".repeat(64),
    );
    expect(automatedBy("\u00e9Qbots <script>")?.actor).toBe("Qbots");
  });

  test("agents of 16 kB made to be slow are judged in milliseconds", () => {
    const hostile = ["a", "a-", "1.", "a ", "crawle", "Spiderx", "bot_", "Mozilla/5.0 (", "a/1.1 "];
    const startMs = processorMs();
    for (const part of hostile)
      automatedBy(`Mozilla/5.0 ${part.repeat(16_000 / part.length)}\u0001`);
    expect(processorMs() - startMs).toBeLessThan(hostile.length * 30);
  });
});

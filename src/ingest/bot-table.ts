/** Categories of automated traffic (definitions.md), in the order in which their rows are tried. */
export type BotCategory =
  | "ai_agent"
  | "search_crawler"
  | "social_preview"
  | "seo_research"
  | "headless_browser"
  | "monitoring_perf"
  | "automation_script"
  | "generic_bot";

interface Row {
  readonly category: BotCategory;
  /** Found anywhere in an agent, in any case. Where the token differs from the name it is given beside it. */
  readonly actors: readonly (string | readonly [actor: string, token: string])[];
}

const rows: readonly Row[] = [
  {
    category: "ai_agent",
    actors: [
      "ChatGPT-User",
      "GPTBot",
      "Anthropic-AI",
      "ClaudeBot",
      "Amazonbot",
      "Bytespider",
      "Cohere-AI",
      "PerplexityBot",
      "OAI-SearchBot",
      "Claude-User",
      "Claude-SearchBot",
      "Perplexity-User",
      "Meta-ExternalAgent",
      "MistralAI-User",
      "CCBot",
    ],
  },
  {
    category: "search_crawler",
    actors: [
      "Googlebot",
      "Bingbot",
      "Slurp",
      "DuckDuckBot",
      "Baiduspider",
      "YandexBot",
      "Sogou",
      "Exabot",
      "ia_archiver",
      "Applebot",
      "PetalBot",
    ],
  },
  {
    category: "social_preview",
    actors: [
      "facebookexternalhit",
      "Facebot",
      "Twitterbot",
      "LinkedInBot",
      "WhatsApp",
      "TelegramBot",
      "Discordbot",
      "Slackbot",
    ],
  },
  {
    category: "seo_research",
    actors: [
      "AhrefsBot",
      "SemrushBot",
      "MJ12bot",
      "DotBot",
      "Screaming Frog",
      "Rogerbot",
      "MegaIndex",
    ],
  },
  {
    category: "headless_browser",
    actors: ["HeadlessChrome", "PhantomJS", "Puppeteer", "Playwright", "Selenium"],
  },
  {
    category: "monitoring_perf",
    actors: [
      "Lighthouse",
      "PageSpeed",
      "UptimeRobot",
      "Pingdom",
      "Datadog",
      "Site24x7",
      "StatusCake",
    ],
  },
  {
    category: "automation_script",
    actors: [
      ["curl", "curl/"],
      ["wget", "wget/"],
      "libwww-perl",
      "python-requests",
      "Scrapy",
      "Go-http-client",
      ["HTTPie", "httpie/"],
      "node-fetch",
      "undici",
      ["axios", "axios/"],
      ["got", "got/"],
      ["node", "node/"],
      ["deno", "deno/"],
      ["bun", "bun/"],
    ],
  },
];

interface KnownActor {
  readonly category: BotCategory;
  readonly actor: string;
  /** A text in lower case, which is looked for in an agent in lower case. */
  readonly token: string;
}

/** One entry per actor, in order: the first whose token an agent contains decides. */
export const knownActors: readonly KnownActor[] = rows.flatMap(({ category, actors }) =>
  actors.map((entry) => {
    const [actor, token] = typeof entry === "string" ? [entry, entry] : entry;
    return { category, actor, token: token.toLowerCase() };
  }),
);

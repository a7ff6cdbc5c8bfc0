/** Names of automated senders, as they are counted, by who operates them. Tools that anybody may run are left out. */
const actorsOf: readonly (readonly [operator: string, actors: readonly string[]])[] = [
  ["Ahrefs", ["AhrefsBot"]],
  ["Amazon", ["Amazonbot", "AmazonAdBot", "AmazonBuyForMe", "AmazonProductDiscovery"]],
  ["Anthropic", ["Anthropic-AI", "ClaudeBot", "Claude-User", "Claude-SearchBot", "Claude-Web"]],
  ["Apple", ["Applebot"]],
  ["Baidu", ["Baiduspider"]],
  ["Brave", ["BraveBot"]],
  ["ByteDance", ["Bytespider", "TikTokSpider"]],
  ["Cohere", ["Cohere-AI", "cohere-training-data-crawler"]],
  ["Common Crawl", ["CCBot"]],
  ["Datadog", ["Datadog"]],
  ["DeepSeek", ["DeepSeekBot"]],
  ["Discord", ["Discordbot"]],
  ["DuckDuckGo", ["DuckDuckBot", "DuckAssistBot"]],
  ["Exalead", ["Exabot"]],
  [
    "Google",
    [
      ...["Googlebot", "PageSpeed", "Google-Extended", "GoogleOther", "Google-InspectionTool"],
      ...["APIs-Google", "Feedfetcher-Google", "Mediapartners-Google", "Storebot-Google"],
      ...["Google-Read-Aloud", "Google-Safety", "GoogleImageProxy", "Google-CloudVertexBot"],
      ...["Google-Agent", "GoogleAgent-Mariner", "Google-NotebookLM", "Google-Site-Verification"],
      ...["AdsBot-Google-Mobile"],
    ],
  ],
  ["Huawei", ["PetalBot"]],
  ["Internet Archive", ["ia_archiver", "archive.org_bot"]],
  ["Kagi", ["Kagibot", "kagi-fetcher"]],
  ["LinkedIn", ["LinkedInBot"]],
  ["Majestic", ["MJ12bot"]],
  ["MegaIndex", ["MegaIndex"]],
  [
    "Meta",
    [
      ...["Meta-ExternalAgent", "facebookexternalhit", "Facebot", "WhatsApp", "facebookcatalog"],
      ...["meta-externalads", "meta-externalfetcher", "meta-webindexer", "FacebookBot"],
    ],
  ],
  ["Microsoft", ["Bingbot", "BingPreview", "MicrosoftPreview", "msnbot"]],
  ["Mistral AI", ["MistralAI-User"]],
  ["Moz", ["DotBot", "Rogerbot"]],
  ["Naver", ["NaverBot"]],
  ["OpenAI", ["ChatGPT-User", "GPTBot", "OAI-SearchBot"]],
  ["Perplexity", ["PerplexityBot", "Perplexity-User"]],
  ["Pingdom", ["Pingdom"]],
  ["Qwant", ["Qwantbot"]],
  ["Semrush", ["SemrushBot"]],
  ["Seznam", ["SeznamBot"]],
  ["Site24x7", ["Site24x7"]],
  ["Slack", ["Slackbot"]],
  ["Sogou", ["Sogou"]],
  ["StatusCake", ["StatusCake"]],
  ["Telegram", ["TelegramBot"]],
  ["UptimeRobot", ["UptimeRobot"]],
  ["Vercel", ["Vercelbot"]],
  ["X", ["Twitterbot"]],
  ["Yahoo", ["Slurp"]],
  ["Yandex", ["YandexBot"]],
  ["You.com", ["YouBot"]],
];

const operators = new Map(
  actorsOf.flatMap(([operator, actors]) => actors.map((actor) => [actor, operator] as const)),
);

/** The actors whose operator is known. */
export const operatedActors: readonly string[] = [...operators.keys()];

/** Returns who operates an actor, by its name alone; null where that is not known. */
export const operatorOf = (actor: string): string | null => operators.get(actor) ?? null;

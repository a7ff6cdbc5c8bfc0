/** A place in the dashboard that the palette finds by its name and by other words. */
export interface Destination {
  readonly kind: "Card" | "Setting" | "Action";
  readonly text: string;
  readonly words: string;
  /** A page of the project, or the address of one of the person's pages. */
  readonly page: string;
  /** The tab of the project's settings. */
  readonly tab?: string;
  /** Further parameters of the address. */
  readonly own?: Readonly<Record<string, string>>;
  /** The heading of the card that gets the focus. */
  readonly card?: string;
  /** The right that the card requires. */
  readonly right?: "edit" | "create" | "administer";
}

/** Other words for the pages of a project. */
export const pageWords: Readonly<Record<string, string>> = {
  overview: "dashboard home traffic visitors kpi",
  live: "realtime real-time now online",
  changes: "why compare anomaly rise drop growth insights",
  explore: "query custom chart table pivot breakdown segment",
  funnels: "conversion steps drop-off checkout",
  retention: "cohorts returning loyalty churn",
  paths: "journeys flows user-flow navigation",
  pages: "urls content landing exit entry bounce",
  sources: "campaigns utm referrers channels acquisition marketing newsletter ads",
  sessions: "visits",
  people: "users persons profiles customers email",
  events: "raw log stream custom properties",
  replays: "recordings videos watch rage clicks",
  speed: "performance web vitals slow exceptions bugs 404",
  experiments: "ab a/b tests split variants",
  bots: "crawlers spam robots ai agents scrapers",
  project: "settings configuration options",
  move: "import export migrate download backup",
  sites: "all projects portfolio domains",
};

/** The text (also the title of the card), the search words, and the fields that differ from its neighbours'. */
type Line = readonly [text: string, words: string, more?: Partial<Destination>];

const linesOf = (
  kind: Destination["kind"],
  place: Pick<Destination, "page" | "tab">,
  lines: readonly Line[],
): readonly Destination[] =>
  lines.map(([text, words, more]) => ({ kind, ...place, text, card: text, words, ...more }));

const settings = (tab: string) => ({ page: "project", tab });
const edit = { right: "edit" } as const;
const administer = { right: "administer" } as const;

export const destinations: readonly Destination[] = [
  ...linesOf("Card", { page: "overview" }, [
    ["Sources", "referrers acquisition google"],
    [
      "Campaigns",
      "utm newsletter ads marketing",
      { card: "Sources", own: { sources: "campaign" } },
    ],
    [
      "Channels",
      "organic paid social search direct",
      { card: "Sources", own: { sources: "channel" } },
    ],
    ["Top pages", "urls content popular", { card: "Pages" }],
    ["Countries", "geography location regions"],
    ["Devices", "mobile phone desktop tablet"],
    ["Browsers", "chrome firefox safari", { card: "Devices", own: { devices: "browser" } }],
    [
      "Operating systems",
      "windows android ios mac linux",
      { card: "Devices", own: { devices: "os" } },
    ],
    ["Goals", "revenue money sales orders purchases conversions rate"],
  ]),
  {
    kind: "Card",
    page: "overview",
    text: "Bounce rate",
    words: "bounces engagement",
    own: { metric: "bounce" },
  },
  {
    kind: "Card",
    page: "overview",
    text: "Average session duration",
    words: "time on site engagement",
    own: { metric: "duration" },
  },
  { kind: "Card", page: "overview", text: "Page views", words: "hits", own: { metric: "views" } },
  ...linesOf("Card", { page: "overview" }, [["Weekdays and hours", "heatmap time of day busiest"]]),
  ...linesOf("Card", { page: "sessions" }, [["Session duration", "length distribution time"]]),
  ...linesOf("Card", { page: "speed" }, [
    ["Core Web Vitals", "lcp cls inp slow"],
    ["JavaScript errors", "exceptions bugs crashes"],
    ["Missing pages", "404 not found broken"],
    ["Outgoing links", "outbound external"],
    ["Downloads", "files pdf"],
  ]),
  ...linesOf("Card", { page: "bots" }, [
    ["Operators of bots", "openai google ai crawlers", { card: "Operators" }],
  ]),
  ...linesOf("Setting", settings("tracking"), [
    ["Snippet", "install tracking code script tag"],
    ["Site", "domain origins time zone rename name", edit],
    ["Excluded visits", "internal traffic own ip block ignore spam", edit],
  ]),
  ...linesOf("Setting", settings("sharing"), [
    ["Shared links", "public dashboard embed share password", edit],
    ["Reports", "weekly letter email monthly mail digest"],
    ["Alerts", "notifications notify warnings slack webhook"],
  ]),
  ...linesOf("Setting", settings("meaning"), [
    ["Context", "meaning purpose glossary annotations notes terms", edit],
  ]),
  ...linesOf("Setting", settings("privacy"), [
    ["Suspicious texts", "prompt injection spam trust agents", edit],
    ["Linked IDs", "identify merge aliases user_id servers", edit],
  ]),
  ...linesOf("Setting", settings("team"), [
    ["People who see this project", "members access rights invite"],
  ]),
  ...linesOf("Setting", settings("data"), [
    ["How long events are stored", "retention delete old data privacy gdpr", administer],
    ["Budget", "limit volume quota events", administer],
  ]),
  ...linesOf("Setting", { page: "move" }, [
    ["Export", "download all data csv parquet backup", { card: "Move out: export" }],
    [
      "Import a file",
      "history google analytics ga4 matomo plausible umami posthog migrate",
      { card: "Move in: import a file" },
    ],
    [
      "Change one address",
      "migrate script endpoint compatible switch from another product",
      { card: "Move in: change one address" },
    ],
    ["Imports", "history progress undo remove"],
  ]),
  ...linesOf("Setting", { page: "/app/settings" }, [
    ["Account", "email address profile"],
    ["API key", "token credentials secret"],
    ["Password", "change login log-in"],
    ["Security", "two-factor 2fa second factor authenticator totp recovery"],
    ["Browsers", "log out sessions devices"],
    ["Agents", "mcp claude chatgpt ai programs"],
    ["Webhooks", "callbacks http push integrations", administer],
    ["Audit log", "history who changed activity", administer],
  ]),
  ...linesOf("Setting", { page: "/app/admin" }, [
    ["Accounts of the server", "administration", { card: "Accounts" }],
    ["New account", "create user invite"],
    ["Mail", "smtp email server"],
    ["Feedback", "messages agents"],
  ]),
  ...linesOf("Setting", { page: "/app/admin/backups" }, [
    ["Backups", "restore drill s3 copies", { card: "Backup" }],
  ]),
  ...linesOf("Setting", { page: "/app/admin/disk" }, [["Disk", "space storage full size"]]),
  {
    kind: "Action",
    page: "/app?new",
    text: "New project",
    words: "add create site website",
    right: "create",
  },
  ...linesOf("Action", { page: "/app/settings" }, [
    [
      "Invite somebody",
      "team members add user colleague rights roles",
      { card: "Team", right: "administer" },
    ],
  ]),
  ...linesOf("Action", settings("goals"), [
    ["New goal", "create conversion revenue purchase event", { card: "New goal", right: "edit" }],
  ]),
  ...linesOf("Action", settings("sharing"), [
    ["Share this project", "public link view dashboard", { card: "Shared links", right: "edit" }],
  ]),
  ...linesOf("Action", settings("meaning"), [
    ["Mark a release", "annotation note deploy version launch", { card: "Context", right: "edit" }],
  ]),
  ...linesOf("Action", settings("sharing"), [
    ["New alert", "notify when drop", { card: "Alerts", right: "edit" }],
    ["Set up the weekly letter", "report email mail monthly", { card: "Reports" }],
  ]),
  ...linesOf("Action", { page: "experiments" }, [["New experiment", "ab a/b test create", edit]]),
  ...linesOf("Action", { page: "people" }, [
    ["Find a visitor", "person user email search look up"],
    [
      "Delete or export one person",
      "gdpr erase forgotten privacy request dsgvo remove visitor",
      { card: "Find a visitor" },
    ],
  ]),
  ...linesOf("Action", settings("danger"), [["Delete the project", "remove danger", administer]]),
];

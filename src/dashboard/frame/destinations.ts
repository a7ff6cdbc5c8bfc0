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

const cards: readonly Omit<Destination, "kind">[] = [
  { page: "overview", card: "Sources", text: "Sources", words: "referrers acquisition google" },
  {
    ...{ page: "overview", card: "Sources", text: "Campaigns", own: { sources: "campaign" } },
    words: "utm newsletter ads marketing",
  },
  {
    ...{ page: "overview", card: "Sources", text: "Channels", own: { sources: "channel" } },
    words: "organic paid social search direct",
  },
  { page: "overview", card: "Pages", text: "Top pages", words: "urls content popular" },
  { page: "overview", card: "Countries", text: "Countries", words: "geography location regions" },
  { page: "overview", card: "Devices", text: "Devices", words: "mobile phone desktop tablet" },
  {
    ...{ page: "overview", card: "Devices", text: "Browsers", own: { devices: "browser" } },
    words: "chrome firefox safari",
  },
  {
    ...{ page: "overview", card: "Devices", text: "Operating systems", own: { devices: "os" } },
    words: "windows android ios mac linux",
  },
  {
    ...{ page: "overview", card: "Goals", text: "Goals" },
    words: "revenue money sales orders purchases conversions rate",
  },
  {
    ...{ page: "overview", text: "Bounce rate", own: { metric: "bounce" } },
    words: "bounces engagement",
  },
  {
    ...{ page: "overview", text: "Average session duration", own: { metric: "duration" } },
    words: "time on site engagement",
  },
  { page: "overview", text: "Page views", words: "hits", own: { metric: "views" } },
  {
    ...{ page: "overview", card: "Weekdays and hours", text: "Weekdays and hours" },
    words: "heatmap time of day busiest",
  },
  {
    ...{ page: "sessions", card: "Session duration", text: "Session duration" },
    words: "length distribution time",
  },
  { page: "speed", card: "Core Web Vitals", text: "Core Web Vitals", words: "lcp cls inp slow" },
  {
    ...{ page: "speed", card: "JavaScript errors", text: "JavaScript errors" },
    words: "exceptions bugs crashes",
  },
  { page: "speed", card: "Missing pages", text: "Missing pages", words: "404 not found broken" },
  { page: "speed", card: "Outgoing links", text: "Outgoing links", words: "outbound external" },
  { page: "speed", card: "Downloads", text: "Downloads", words: "files pdf" },
  {
    page: "bots",
    card: "Operators",
    text: "Operators of bots",
    words: "openai google ai crawlers",
  },
];

const settings: readonly Omit<Destination, "kind">[] = [
  {
    ...{ page: "project", tab: "tracking", card: "Snippet", text: "Snippet" },
    words: "install tracking code script tag",
  },
  {
    ...{ page: "project", tab: "tracking", card: "Site", text: "Site", right: "edit" },
    words: "domain origins time zone rename name",
  },
  {
    ...{ page: "project", tab: "tracking", card: "Excluded visits", text: "Excluded visits" },
    ...{ words: "internal traffic own ip block ignore spam", right: "edit" },
  },
  {
    ...{ page: "project", tab: "sharing", card: "Shared links", text: "Shared links" },
    ...{ words: "public dashboard embed share password", right: "edit" },
  },
  {
    ...{ page: "project", tab: "sharing", card: "Reports", text: "Reports" },
    words: "weekly letter email monthly mail digest",
  },
  {
    ...{ page: "project", tab: "sharing", card: "Alerts", text: "Alerts" },
    words: "notifications notify warnings slack webhook",
  },
  {
    ...{ page: "project", tab: "meaning", card: "Context", text: "Context", right: "edit" },
    words: "meaning purpose glossary annotations notes terms",
  },
  {
    ...{ page: "project", tab: "privacy", card: "Suspicious texts", text: "Suspicious texts" },
    ...{ words: "prompt injection spam trust agents", right: "edit" },
  },
  {
    ...{ page: "project", tab: "privacy", card: "Linked IDs", text: "Linked IDs", right: "edit" },
    words: "identify merge aliases user_id servers",
  },
  {
    ...{ page: "project", tab: "team", card: "People who see this project" },
    ...{ text: "People who see this project", words: "members access rights invite" },
  },
  {
    ...{ page: "project", tab: "data", card: "How long events are stored", right: "administer" },
    ...{ text: "How long events are stored", words: "retention delete old data privacy gdpr" },
  },
  {
    ...{ page: "project", tab: "data", card: "Budget", text: "Budget", right: "administer" },
    words: "limit volume quota events",
  },
  {
    ...{ page: "move", card: "Move out: export", text: "Export" },
    words: "download all data csv parquet backup",
  },
  {
    ...{ page: "move", card: "Move in: import a file", text: "Import a file" },
    words: "history google analytics ga4 matomo plausible umami posthog migrate",
  },
  {
    ...{ page: "move", card: "Move in: change one address", text: "Change one address" },
    words: "migrate script endpoint compatible switch from another product",
  },
  { page: "move", card: "Imports", text: "Imports", words: "history progress undo remove" },
  { page: "/app/settings", card: "Account", text: "Account", words: "email address profile" },
  { page: "/app/settings", card: "API key", text: "API key", words: "token credentials secret" },
  { page: "/app/settings", card: "Password", text: "Password", words: "change login log-in" },
  {
    ...{ page: "/app/settings", card: "Security", text: "Security" },
    words: "two-factor 2fa second factor authenticator totp recovery",
  },
  { page: "/app/settings", card: "Browsers", text: "Browsers", words: "log out sessions devices" },
  {
    page: "/app/settings",
    card: "Agents",
    text: "Agents",
    words: "mcp claude chatgpt ai programs",
  },
  {
    ...{ page: "/app/settings", card: "Webhooks", text: "Webhooks", right: "administer" },
    words: "callbacks http push integrations",
  },
  {
    ...{ page: "/app/settings", card: "Audit log", text: "Audit log", right: "administer" },
    words: "history who changed activity",
  },
];

const ofServer: readonly Omit<Destination, "kind">[] = [
  { page: "/app/admin", card: "Accounts", text: "Accounts of the server", words: "administration" },
  { page: "/app/admin", card: "New account", text: "New account", words: "create user invite" },
  { page: "/app/admin", card: "Mail", text: "Mail", words: "smtp email server" },
  { page: "/app/admin", card: "Feedback", text: "Feedback", words: "messages agents" },
  { page: "/app/admin/backups", card: "Backup", text: "Backups", words: "restore drill s3 copies" },
  { page: "/app/admin/disk", card: "Disk", text: "Disk", words: "space storage full size" },
];

const actions: readonly Omit<Destination, "kind">[] = [
  { page: "/app?new", text: "New project", words: "add create site website", right: "create" },
  {
    ...{ page: "/app/settings", card: "Team", text: "Invite somebody", right: "administer" },
    words: "team members add user colleague rights roles",
  },
  {
    ...{ page: "project", tab: "goals", card: "Goals", text: "New goal", right: "edit" },
    words: "create conversion revenue purchase event",
  },
  {
    ...{ page: "project", tab: "sharing", card: "Shared links", text: "Share this project" },
    ...{ words: "public link view dashboard", right: "edit" },
  },
  {
    ...{ page: "project", tab: "meaning", card: "Context", text: "Mark a release" },
    ...{ words: "annotation note deploy version launch", right: "edit" },
  },
  {
    ...{ page: "project", tab: "sharing", card: "Alerts", text: "New alert", right: "edit" },
    words: "notify when drop",
  },
  {
    ...{ page: "project", tab: "sharing", card: "Reports", text: "Set up the weekly letter" },
    words: "report email mail monthly",
  },
  {
    ...{ page: "experiments", card: "New experiment", text: "New experiment", right: "edit" },
    words: "ab a/b test create",
  },
  {
    ...{ page: "people", card: "Find a visitor", text: "Find a visitor" },
    words: "person user email search look up",
  },
  {
    ...{ page: "people", card: "Find a visitor", text: "Delete or export one person" },
    words: "gdpr erase forgotten privacy request dsgvo remove visitor",
  },
  {
    ...{ page: "project", tab: "danger", card: "Delete the project", right: "administer" },
    ...{ text: "Delete the project", words: "remove danger" },
  },
];

export const destinations: readonly Destination[] = [
  ...cards.map((one): Destination => ({ kind: "Card", ...one })),
  ...[...settings, ...ofServer].map((one): Destination => ({ kind: "Setting", ...one })),
  ...actions.map((one): Destination => ({ kind: "Action", ...one })),
];

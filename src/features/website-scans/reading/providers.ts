import type { Page, Script, ScriptMark } from "./page";

/** The analytics that most sites use, each by where its script comes from and by what its snippet calls. */
interface Provider {
  readonly name: string;
  /** Matched with host and path of a script's address. */
  readonly source: RegExp;
  /** The end of the path under which sites serve it from their own hosts, for a tag with this mark. */
  readonly own?: { readonly path: RegExp; readonly mark: ScriptMark };
  /** Found in the text of an inline script. */
  readonly snippet: RegExp;
}

/** The order is that of an answer. */
export const providers: readonly Provider[] = [
  {
    name: "Google Analytics",
    source: /^(www\.googletagmanager\.com\/gtag\/js|(www|ssl)\.google-analytics\.com\/)/,
    snippet: /\bgtag\(\s*['"]config['"]\s*,\s*['"](G|UA)-|GoogleAnalyticsObject/,
  },
  {
    name: "Google Tag Manager",
    source: /^www\.googletagmanager\.com\/gtm\.js/,
    snippet: /googletagmanager\.com\/gtm\.js|['"]GTM-[A-Z0-9]{4,}['"]/,
  },
  {
    name: "Plausible",
    source: /^plausible\.io\/js\//,
    own: { path: /\/(plausible|script)(\.[a-z-]+)*\.js$/, mark: "data-domain" },
    snippet: /\bplausible\.init\(|window\.plausible\s*=/,
  },
  {
    name: "Matomo",
    source: /\/(matomo|piwik)\.js$|^cdn\.matomo\.cloud\//,
    snippet: /\b(_paq|_mtm)\.push\(/,
  },
  {
    name: "PostHog",
    source: /^([\w-]+\.)*posthog\.com\/|\/static\/array\.js$/,
    snippet: /\bposthog\.init\(/,
  },
  {
    name: "Mixpanel",
    source: /^cdn\.mxpnl\.com\/|\/mixpanel[\w.-]*\.js$/,
    snippet: /\bmixpanel\.init\(/,
  },
  {
    name: "Amplitude",
    source: /^cdn\.amplitude\.com\//,
    snippet: /\bamplitude\.(init|getInstance)\(/,
  },
  {
    name: "Segment",
    source: /^cdn\.segment\.com\//,
    snippet: /cdn\.segment\.com\/analytics\.js|\banalytics\.load\(/,
  },
  {
    name: "Hotjar",
    source: /^(static|script)\.hotjar\.com\//,
    snippet: /static\.hotjar\.com|\b_hjSettings\b/,
  },
  { name: "Microsoft Clarity", source: /^www\.clarity\.ms\//, snippet: /clarity\.ms\/tag\// },
  {
    name: "Heap",
    source: /^cdn\.(heapanalytics\.com|us\.heap-api\.com)\//,
    snippet: /\bheap\.load\(/,
  },
  {
    name: "Fathom",
    source: /^cdn\.usefathom\.com\//,
    snippet: /\bfathom\.(track|trackPageview)\(/,
  },
  {
    name: "Umami",
    source: /^(cloud|us|eu|analytics)\.umami\.(is|dev)\/|\/umami\.js$/,
    own: { path: /\/script\.js$/, mark: "data-website-id" },
    snippet: /\bumami\.track\(/,
  },
  {
    name: "Cloudflare Web Analytics",
    source: /^static\.cloudflareinsights\.com\//,
    snippet: /static\.cloudflareinsights\.com\/beacon/,
  },
  {
    name: "Adobe Analytics",
    source: /^assets\.adobedtm\.com\/|\/(AppMeasurement|s_code)(\.min)?\.js$/,
    snippet: /\b_satellite\.(track|pageBottom)\(|\bs\.t\(\)/,
  },
  {
    name: "Meta Pixel",
    source: /^connect\.facebook\.net\/.*\/fbevents\.js/,
    snippet: /\bfbq\(\s*['"]init['"]/,
  },
  {
    name: "HubSpot",
    source: /^js(-[a-z0-9]+)?\.(hs-scripts|hs-analytics)\.(com|net)\//,
    snippet: /\b_hsq\.push\(/,
  },
  {
    name: "Simple Analytics",
    source: /^[\w-]+\.simpleanalyticscdn\.com\//,
    snippet: /\bsa_event\(/,
  },
  {
    name: "Yandex Metrica",
    source: /^mc\.yandex\.(ru|com)\/metrika\//,
    snippet: /mc\.yandex\.(ru|com)\/metrika\//,
  },
  {
    name: "Vercel Web Analytics",
    source: /\/_vercel\/insights\/script\.js$/,
    snippet: /\/_vercel\/insights\/script\.js/,
  },
];

/** Returns them in the order of the table, which is the same for every site. */
export function detectAnalytics(pages: readonly Page[]): {
  providers: string[];
  sightline: boolean;
} {
  const isSeen = (provider: Provider): boolean =>
    pages.some(
      ({ scripts, inlineScript }) =>
        scripts.some((script) => isFrom(provider, script)) || provider.snippet.test(inlineScript),
    );
  return {
    providers: providers.filter(isSeen).map(({ name }) => name),
    sightline: pages.some(({ scripts }) => scripts.some(isTracker)),
  };
}

function isFrom({ source, own }: Provider, script: Script): boolean {
  const address = addressOf(script);
  if (source.test(address)) return true;
  return own !== undefined && script.marks.includes(own.mark) && own.path.test(address);
}

/** Longer ones are names of no host; with a port. */
const hostCharsMax = 260;

/** Our script tag, wherever the script is loaded from. */
export const isTracker = (script: Script): boolean =>
  /\/tracker(\.src)?\.js$/.test(addressOf(script)) &&
  (script.project !== null || script.token !== null);

/** Host and path. Empty for what is no address of the web: a path may stand in `data:` and `blob:` too. */
function addressOf({ target }: Script): string {
  if (target === null) return "";
  const { protocol, host, pathname } = target;
  return /^https?:$/.test(protocol) && host.length <= hostCharsMax ? host + pathname : "";
}

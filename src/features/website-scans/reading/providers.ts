import type { Page, Script } from "./page";

/** The analytics that most sites use, each by where its script comes from and by what its snippet calls. */
interface Provider {
  readonly name: string;
  /** Matched with host and path of a script's address. */
  readonly source: RegExp;
  /** Found in the text of an inline script. */
  readonly snippet: RegExp;
}

const providers: readonly Provider[] = [
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
    source: /^plausible\.io\/js\/|\/js\/(plausible|script)(\.[a-z-]+)*\.js$/,
    snippet: /\bplausible\.init\(|window\.plausible\s*=/,
  },
  { name: "Matomo", source: /\/(matomo|piwik)\.js$/, snippet: /\b_paq\.push\(/ },
  {
    name: "PostHog",
    source: /posthog\.com\/|\/static\/array\.js$/,
    snippet: /\bposthog\.init\(/,
  },
  { name: "Mixpanel", source: /mxpnl\.com\/|mixpanel/, snippet: /\bmixpanel\.init\(/ },
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
  { name: "Umami", source: /umami\.(is|dev)\/|\/umami\.js$/, snippet: /\bumami\.track\(/ },
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
    source: /simpleanalyticscdn\.com\//,
    snippet: /\bsa_event\(/,
  },
];

/** In the order of the table, which is the same for every site. */
export function detectAnalytics(pages: readonly Page[]): {
  providers: string[];
  sightline: boolean;
} {
  const isSeen = ({ source, snippet }: Provider): boolean =>
    pages.some(
      ({ scripts, inlineScript, base }) =>
        scripts.some((script) => source.test(addressOf(script, base))) ||
        snippet.test(inlineScript),
    );
  return {
    providers: providers.filter(isSeen).map(({ name }) => name),
    sightline: pages.some(({ scripts, base }) => scripts.some((one) => isTracker(one, base))),
  };
}

/** Our script tag, wherever the script is loaded from. */
export const isTracker = (script: Script, base: URL): boolean =>
  /\/tracker(\.src)?\.js$/.test(addressOf(script, base)) &&
  (script.project !== null || script.token !== null);

/** Host and path. */
function addressOf({ src }: Script, base: URL): string {
  if (src === "" || !URL.canParse(src, base.href)) return "";
  const { host, pathname } = new URL(src, base.href);
  return host + pathname;
}

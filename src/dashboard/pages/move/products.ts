/** Another product whose clients can send to this server. */
export interface Product {
  readonly name: string;
  /** The lines that a site has, as its documentation shows them. */
  readonly before: string;
  /** The same lines with the address of a source. */
  readonly after: (url: string) => string;
  /** Numbers that differ afterwards. */
  readonly note: string;
}

const dailyVisitors =
  "The browser sends no visitor id. Somebody who comes on two days counts as two visitors here, so periods longer " +
  "than a day have other numbers of visitors";

export const products: Readonly<Record<string, Product>> = {
  plausible: {
    name: "Plausible",
    before: tag('data-domain="shop.example"', "https://plausible.io/js/script.js"),
    after: (url) => tag('data-domain="shop.example"', `${url}/js/script.js`),
    note: `${dailyVisitors}. An event with interactive: false keeps that as a property, and counts as an interaction.`,
  },
  umami: {
    name: "Umami",
    before: tag('data-website-id="94db1cb1-…"', "https://cloud.umami.is/script.js"),
    after: (url) => tag('data-website-id="94db1cb1-…"', `${url}/script.js`),
    note: `${dailyVisitors}: Umami keeps a visitor's id for a month.`,
  },
  goatcounter: {
    name: "GoatCounter",
    before: tag('data-goatcounter="https://shop.goatcounter.com/count"', "//gc.zgo.at/count.js"),
    after: (url) => tag(`data-goatcounter="${url}/count"`, `${url}/count.js`),
    note: `${dailyVisitors}: GoatCounter keeps a visitor's id for eight hours.`,
  },
  matomo: {
    name: "Matomo",
    before: '_paq.push(["setTrackerUrl",\n  "https://shop.matomo.cloud/matomo.php"]);',
    after: (url) => `_paq.push(["setTrackerUrl",\n  "${url}/matomo.php"]);`,
    note: "Keep matomo.js. Heartbeats, and the lines of an order, are not stored.",
  },
  segment: {
    name: "Segment",
    before: 'AnalyticsBrowser.load({\n  writeKey: "…",\n});',
    after: (url) => `AnalyticsBrowser.load({\n  writeKey: "…",\n  cdnURL: "${url}",\n});`,
    note: "Groups, destinations and tracking plans do not carry over.",
  },
  posthog: {
    name: "PostHog",
    before: 'posthog.init("phc_…", {\n  api_host: "https://eu.i.posthog.com",\n});',
    after: (url) => `posthog.init("phc_…", {\n  api_host: "${url}",\n  disable_surveys: true,\n});`,
    note: "Flags, surveys, groups and session recordings do not carry over.",
  },
  mixpanel: {
    name: "Mixpanel",
    before: 'mixpanel.init("…", {\n  track_pageview: true,\n});',
    after: (url) => `mixpanel.init("…", {\n  track_pageview: true,\n  api_host: "${url}",\n});`,
    note: "Groups and session recordings do not carry over.",
  },
};

function tag(attribute: string, address: string): string {
  return `<script defer\n  ${attribute}\n  src="${address}"></script>`;
}

/** The lines of a text, and whether each is in another text too. */
export function changedLines(
  text: string,
  other: string,
): readonly { readonly line: string; readonly isChanged: boolean }[] {
  const known = new Set(other.split("\n"));
  return text.split("\n").map((line) => ({ line, isChanged: !known.has(line) }));
}

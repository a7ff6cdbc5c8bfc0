import { attempt } from "./attempt";
import { cutUrl, type Properties } from "./clean";

interface ClientHints {
  readonly brands: readonly { readonly brand: string; readonly version: string }[];
  readonly mobile: boolean;
  readonly platform: string;
}
declare global {
  interface Navigator {
    readonly userAgentData?: ClientHints;
  }
}

type Rules = readonly (readonly [name: string, sign: RegExp])[];

/** In the contract's order: every Edge says Chrome too, and every Chrome says Safari. */
const browsers: Rules = [
  ["Edge", /Edg\w*\/(\d+)/],
  ["Opera", /(?:OPR|Opera)[^/]*\/(\d+)/],
  ["Chrome", /(?:Chrom\w+|CriOS)\/(\d+)/],
  ["Safari", /Version\/(\d+).*Safari/],
  ["Firefox", /(?:Firefox|FxiOS)\/(\d+)/],
];
const systems: Rules = [
  ["iOS", /iOS|iP(hone|ad|od)/],
  ["Windows", /Windows/],
  ["Android", /Android/],
  ["ChromeOS", /CrOS|Chrom\w+ OS/],
  ["macOS", /[mM]ac/],
  ["Linux", /Linux/],
];

/** One by one, so that an API that is missing costs its own property and not the event. */
const automatic: Readonly<Record<string, () => unknown>> = {
  url: () => cutUrl(location.href),
  referrer: () => cutUrl(document.referrer),
  path: () => location.pathname,
  hostname: () => location.hostname,
  title: () => document.title,
  screen: () => `${screen.width}x${screen.height}`,
  language: () => navigator.language,
  timezone: () => Intl.DateTimeFormat().resolvedOptions().timeZone,
  browser: () => browser()[0],
  browser_version: () => browser()[1],
  os: () => (match(systems, hints().platform) || match(systems, navigator.userAgent) || unknown)[0],
  device,
};

export function pageProperties(): Properties {
  const properties: Properties = {};
  for (const name in automatic) properties[name] = attempt(automatic[name]);
  return properties;
}

const unknown = ["Unknown"];

const hints = (): Partial<ClientHints> => navigator.userAgentData || {};

/** Name and major version. The hints know better than the agent, which pretends. */
function browser(): readonly string[] {
  const brands = (hints().brands || []).map(({ brand, version }) => `${brand}/${version}`);
  return match(browsers, brands.join()) || match(browsers, navigator.userAgent) || unknown;
}

function match(rules: Rules, text = ""): readonly string[] | undefined {
  for (const [name, sign] of rules) {
    const found = sign.exec(text);
    if (found) return [name, found[1]];
  }
  return undefined;
}

function device(): string {
  const agent = navigator.userAgent;
  if (hints().mobile) return "mobile";
  if (/Tablet|iPad/.test(agent)) return "tablet";
  if (/Mobi/.test(agent) || screen.width < 768) return "mobile";
  return screen.width < 1024 ? "tablet" : "desktop";
}

import { cutUrl, type Properties } from "./clean";

interface ClientHints {
  readonly brands?: readonly { readonly brand: string; readonly version: string }[];
  readonly mobile?: boolean;
  readonly platform?: string;
}
declare global {
  interface Navigator {
    readonly userAgentData?: ClientHints;
  }
}

type Rules = readonly (readonly [name: string, sign: RegExp])[];

/** In the contract's order: every Edge says Chrome too, and every Chrome says Safari. */
const browsers: Rules = [
  ["Edge", /Edg\D*(\d+)/],
  ["Opera", /(?:OPR|Opera)\D*(\d+)/],
  ["Chrome", /(?:Chrom|CriOS)\D*(\d+)/],
  ["Safari", /Version\D*(\d+).*Safari/],
  ["Firefox", /(?:Firefox|FxiOS)\D*(\d+)/],
];
const systems: Rules = [
  ["iOS", /iOS|iP(hone|ad|od)/],
  ["Windows", /Windows/],
  ["Android", /Android/],
  ["ChromeOS", /CrOS|Chrom\w+ OS/],
  ["macOS", /[mM]ac/],
  ["Linux", /Linux/],
];

/** Where the event happened. */
export const placeProperties = (): Properties => ({
  url: cutUrl(location.href),
  referrer: cutUrl(document.referrer),
  path: location.pathname,
  hostname: location.hostname,
  title: document.title,
});

/** On what. Client hints come before the agent, which pretends. */
export const machineProperties = (): Properties => {
  const { language, userAgent, userAgentData = {} as ClientHints } = navigator;
  const { width, height } = screen;
  const [browser, browser_version] = match(
    browsers,
    JSON.stringify(userAgentData.brands),
    userAgent,
  );
  const [os] = match(systems, userAgentData.platform, userAgent);
  let device = width < 1024 ? "tablet" : "desktop";
  if (/Mobi/.test(userAgent) || width < 768) device = "mobile";
  if (/Tablet|iPad/.test(userAgent)) device = "tablet";
  if (userAgentData.mobile) device = "mobile";
  return {
    screen: `${width}x${height}`,
    language,
    timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    browser,
    browser_version,
    os,
    device,
  };
};

/** Name and major version. */
const match = (rules: Rules, ...texts: readonly (string | undefined)[]): readonly string[] => {
  for (const text of texts) {
    for (const [name, sign] of rules) {
      const found = sign.exec(text as string);
      if (found) return [name, found[1]];
    }
  }
  return ["Unknown"];
};

import { cutUrl, type Properties } from "./clean";

declare global {
  interface Navigator {
    /** Says in JSON which brands of browser, on what platform, and whether it is a mobile one. */
    readonly userAgentData?: object;
  }
}

type Rules = Readonly<Record<string, RegExp>>;

/** The order matters: every Edge says Chrome too, and every Chrome says Safari. */
const browsers: Rules = {
  Edge: /Edg\D*(\d+)/,
  Opera: /(?:OPR|Opera)\D*(\d+)/,
  Chrome: /(?:Chrom|CriOS)\D*(\d+)/,
  Safari: /Version\D*(\d+)/,
  Firefox: /(?:Firefox|FxiOS)\D*(\d+)/,
};
const systems: Rules = {
  iOS: /iOS|iP(hone|ad|od)/,
  Windows: /Windows/,
  Android: /Android/,
  ChromeOS: /CrOS|Chrom\w+ OS/,
  macOS: /[mM]ac/,
  Linux: /Linux/,
};

/** Properties that tell where the event happened. */
export const placeProperties = (): Properties => ({
  url: cutUrl(location.href),
  referrer: cutUrl(document.referrer),
  path: location.pathname,
  hostname: location.hostname,
  title: document.title,
});

/** Properties that tell on what machine it happened. */
export const machineProperties = (): Properties => {
  const { width, height } = screen;
  const { language, userAgent, userAgentData } = navigator;
  // Client hints come before the agent, which pretends.
  const texts = [JSON.stringify(userAgentData), userAgent];
  const [browser, browser_version] = match(browsers, texts);
  return {
    screen: `${width}x${height}`,
    language,
    timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    browser,
    browser_version,
    os: match(systems, texts)[0],
    device: deviceOf(texts.join(), width),
  };
};

/** Name and major version. */
const match = (rules: Rules, texts: readonly string[]): readonly string[] => {
  for (const text of texts) {
    for (const name in rules) {
      const found = rules[name].exec(text);
      if (found) return [name, found[1]];
    }
  }
  return ["Unknown"];
};

const deviceOf = (text: string, width: number): string => {
  if (/"mobile":true/.test(text)) return "mobile";
  if (/Tablet|iPad/.test(text)) return "tablet";
  if (/Mobi/.test(text) || width < 768) return "mobile";
  return width < 1024 ? "tablet" : "desktop";
};

import { UAParser } from "ua-parser-js";

/** Names a browser as a person does, such as "Firefox on Linux". Null when its agent names neither part. */
export function browserLabel(userAgent: string | null, charsMax: number): string | null {
  if (userAgent === null) return null;
  const { browser, os } = UAParser(userAgent);
  const names = [browser.name, os.name === "Mac OS" ? "macOS" : os.name].filter(Boolean);
  return names.length === 0 ? null : names.join(" on ").slice(0, charsMax);
}

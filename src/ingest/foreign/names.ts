/** The names that other products give systems, in lower case, and ours. */
const systems: Readonly<Record<string, string>> = {
  "mac os": "macOS",
  "mac os x": "macOS",
  mac: "macOS",
  macintosh: "macOS",
  macos: "macOS",
  "gnu/linux": "Linux",
  "android os": "Android",
  "chrome os": "ChromeOS",
};

/** The system under the name that the tracker gives it. */
export function systemName(text: string | null): string | null {
  if (text === null) return null;
  if (/^windows\b/i.test(text)) return "Windows";
  const name = text.toLowerCase();
  return Object.hasOwn(systems, name) ? (systems[name] ?? text) : text;
}

const devices: Readonly<Record<string, string>> = {
  laptop: "desktop",
  smartphone: "mobile",
  phablet: "mobile",
};

/** The kind of device under the name that the tracker gives it. */
export function deviceName(text: string | null): string | null {
  const name = text?.toLowerCase() ?? null;
  return name !== null && Object.hasOwn(devices, name) ? (devices[name] ?? name) : name;
}

/** The major version: `131` of `131.0.1`. */
export const majorVersion = (text: string | null): string | null =>
  /^\d{1,6}/.exec(text ?? "")?.[0] ?? null;

/** `Chrome 131.0` apart: the name, and its major version where it has one. */
export function nameAndVersion(text: string | null): readonly [string | null, string | null] {
  const [, name = text, version = null] = /^(.+?) (\d{1,6})(?:\.[\d.]*)?$/.exec(text ?? "") ?? [];
  return [name, version];
}

/** A country by its code of two letters, which may have a region behind it: `DE-BE`. */
export const countryOf = (text: string | null): string | null =>
  /^([A-Za-z]{2})(?:$|-)/.exec(text ?? "")?.[1]?.toUpperCase() ?? null;

/** The script's own tag. It is known only while the script is first run. */
const { currentScript } = document;
const script = currentScript instanceof HTMLScriptElement ? currentScript : null;

export const token = script?.dataset.token ?? "";
/** The folder that the script came from, where the server takes everything else too. */
export const server = script === null ? "" : new URL(".", script.src).href;

/** The scope is as the tracker writes it: two projects on one origin share nothing. */
const scope = encodeURIComponent(token).replace(
  /[!'()*]/g,
  (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
);
export const scoped = (key: string): string => `aa:${scope}:${key}`;

/** Reading `localStorage` itself throws where storage is blocked; so does writing to a full one. */
export function attempt<Result>(act: () => Result): Result | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}

/** The tracker's own record of its session, which ends with the tab. */
export const sessionId = (): string | null =>
  attempt(() => sessionStorage.getItem(scoped("sid"))) ?? null;

export const hasStoredConsent = (): boolean => kept(scoped("consent")) === "granted";

/** Somebody has opted out in this browser. */
export const isSwitchedOff = (): boolean =>
  [kept("aa_disabled"), kept(scoped("disabled"))].includes("true");

const kept = (key: string): string | null | undefined => attempt(() => localStorage.getItem(key));

/** Places where nothing is recorded, whatever the settings of the project are. */
export const isSilent = (): boolean =>
  token === "" ||
  /^(?:localhost$|127\.)/.test(location.hostname) ||
  isSwitchedOff() ||
  // The tracker says whether Do Not Track is honored.
  (navigator.doNotTrack === "1" &&
    document.querySelector("script[src*='/tracker.js'][data-do-not-track='true']") !== null);

import { attempt } from "./attempt";

/** What the script tag says: where to send to, as whom, and what to watch. */
let script: Element | null;
export let origin: string;
export let token: string | undefined;
export let project: string | undefined;

/** The tag is known only while the script is first run, so this comes before anything else. */
export function readSettings(): void {
  script = document.currentScript || document.querySelector("script[data-project]");
  origin = new URL((script && script.getAttribute("src")) || "", document.baseURI).origin;
  token = setting("token") || undefined;
  project = setting("project") || undefined;
}

export const setting = (name: string): string | null =>
  script && script.getAttribute(`data-${name}`);

export const isOn = (name: string): boolean => setting(name) === "true";

/** A feature of the table of attributes: `data-track-<name>="true"` starts it, and its failure stays its own. */
export function feature(name: string, begin: () => void): void {
  if (isOn(`track-${name}`)) attempt(begin);
}

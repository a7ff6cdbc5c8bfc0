import { attempt } from "./attempt";
import { read } from "./marks";

/** What the script tag says: where to send to, as whom, and what to watch. */
let script: HTMLScriptElement;
/** The folder that the script came from, where the server takes everything else too. */
export let server: string;
export let token: string | undefined;
export let project: string;

/**
 * The tag is known only while the script is first run, so this comes before anything else. Of a module the browser
 * does not say it at all, and other loaders run the script in a tag of theirs.
 */
export const readSettings = (): void => {
  script = document.currentScript as HTMLScriptElement;
  if (!script || !setting("token")) {
    script = document.querySelector('script[data-token][src*="tracker."]') || script;
  }
  server = new URL(".", script.src).href;
  token = setting("token") || undefined;
  project = setting("project");
};

export const setting = (name: string): string => read(script, `data-${name}`);

export const isOn = (name: string): boolean => setting(name) === "true";

/** A row of the table of attributes: `data-track-<name>="true"` starts it, and its failure stays its own. */
export const feature = (name: string, begin: () => void): void => {
  if (isOn(`track-${name}`)) attempt(begin);
};

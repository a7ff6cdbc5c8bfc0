import { attempt } from "./attempt";
import { project, token } from "./settings";

/** True from the start of consent mode to the grant: nothing is sent, and nothing is written to storage. */
export let isHeld = false;

/** What was written but is not in storage, because it is held back or storage is blocked. */
let memory: Record<string, string | null> = {};

export function recall(key: string): string | null {
  if (key in memory) return memory[key];
  return attempt(() => areaOf(key).getItem(scoped(key))) || null;
}

/** `null` forgets. Decisions about tracking itself are written `always`, also while everything else is held back. */
export function remember(key: string, value: string | null, always?: boolean): void {
  memory[key] = value;
  if (isHeld && !always) return;
  attempt(() => {
    if (value === null) areaOf(key).removeItem(scoped(key));
    else areaOf(key).setItem(scoped(key), value);
    delete memory[key];
  });
}

/** JSON that we wrote earlier. What others put in its place counts as nothing. */
export const recallObject = (key: string): Record<string, string> =>
  attempt(() => JSON.parse(recall(key) || "{}")) || {};

export function hold(): void {
  isHeld = true;
}

/** Everything held back is written now. */
export function release(): void {
  isHeld = false;
  const held = memory;
  memory = {};
  for (const key in held) remember(key, held[key]);
}

/** Reading `localStorage` itself throws where storage is blocked. */
const areaOf = (key: string): Storage =>
  /^(sid|last|utm)/.test(key) ? sessionStorage : localStorage;

/** Two projects on one origin share nothing. */
const scoped = (key: string): string =>
  `aa:${encodeURIComponent(token || project || "").replace(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  )}:${key}`;

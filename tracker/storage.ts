import { attempt } from "./attempt";
import { project, token } from "./settings";

/** This is true from the start of consent mode to the grant: nothing is sent, and nothing is written to storage. */
export let isHeld: boolean | undefined;

/** What was written but is not in storage, because it is held back or storage is blocked. */
const memory: Record<string, string | null> = {};

export const recall = (key: string): string =>
  (key in memory ? memory[key] : attempt(() => areaOf(key).getItem(scoped(key)))) || "";

/** `null` forgets. Decisions about tracking itself are written `always`, also while everything else is held back. */
export const remember = (key: string, value: string | number | null, always?: boolean): void => {
  memory[key] = value as string;
  if (isHeld && !always) return;
  attempt(() => {
    areaOf(key)[value === null ? "removeItem" : "setItem"](scoped(key), value as string);
    delete memory[key];
  });
};

/** JSON that we wrote earlier. What others put in its place counts as nothing. */
export const recallObject = (key: string): object | undefined =>
  attempt(() => JSON.parse(recall(key)));

/** Holds everything back, or writes what was held back. */
export const hold = (held: boolean): void => {
  isHeld = held;
  for (const key in memory) remember(key, memory[key]);
};

/** Reading `localStorage` itself throws where storage is blocked. */
const areaOf = (key: string): Storage =>
  /^(sid|last|utm)/.test(key) ? sessionStorage : localStorage;

/** Two projects on one origin share nothing. */
const scoped = (key: string): string =>
  `aa:${encodeURIComponent(token || project)
    .replace(/[!'()]/g, escape)
    .replace(/\*/g, "%2A")}:${key}`;

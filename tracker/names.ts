import { attempt } from "./attempt";

/** Methods on a function: one of ours, or one of others that has the same name. */
export interface Api {
  (...given: unknown[]): unknown;
  [method: string]: unknown;
  /** Calls that wait for the other function, in the place where libraries look for them. */
  queue?: unknown[][];
}

declare global {
  interface Window {
    aa?: Partial<Api>;
    sightline?: Partial<Api>;
  }
}

export const names = ["sightline", "aa"] as const;

/** A second copy of the script finds the first one at work, under either name. */
export const isTaken = (): boolean => names.some((name) => (window[name] || {}).optIn);

/**
 * A library for search has a function `aa` too. Whoever comes second, both are there: the function is that of the
 * other one, and has our methods. What anybody puts into the variable is what they find in it.
 */
export const stand = (name: (typeof names)[number], api: Api): void => {
  let holder: Partial<Api> | undefined;
  const put = (value: Partial<Api> | undefined): void => {
    holder = value;
    if (typeof value === "function") {
      attempt(() => Object.assign(value, { ...api, ...(value as Api) }));
    }
  };
  put(typeof window[name] === "function" ? window[name] : api);
  Object.defineProperty(window, name, { configurable: true, get: () => holder, set: put });
};

/** What is called on our function is meant for the other one, which may not be there yet. */
export const passOn = (api: Api, given: unknown[]): unknown => {
  const { aa } = window;
  if (typeof aa === "function" && aa !== api) return (aa as Api)(...given);
  api.queue = api.queue || [];
  return api.queue.push(given);
};

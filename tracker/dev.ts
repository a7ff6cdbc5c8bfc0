/** On the developer's own machine the tracker sends nothing and says what it would do. */
export let isDev: boolean;

/** A browser writes every address as four numbers. */
export const readHost = (): void => {
  isDev = /^(localhost|127[.\d]+)$/.test(location.hostname);
};

export const say = (...words: readonly unknown[]): void => {
  // biome-ignore lint/suspicious/noConsole: telling the developer is what dev mode is for.
  if (isDev) console.log("[aa-dev]", ...words);
};

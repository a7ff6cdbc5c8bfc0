/** Returns the words that start this program again: the executable, or Bun and the entry that it runs. */
export const ownCommand = (): readonly string[] =>
  isBundled ? [process.execPath] : [process.execPath, "--no-env-file", Bun.main];

/** In the executable the entry has a path that is on no disk. */
const isBundled = /^(\/\$bunfs\/|[A-Z]:[\\/]~BUN[\\/])/.test(Bun.main);

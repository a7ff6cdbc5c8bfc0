/**
 * Returns the URL of a thread's entry. In the executable every module has the URL of the bundle's root, so only a file
 * that lies at the root of the sources can name the others the same way there and under `bun run`.
 */
export const workerUrl = (name: string): string =>
  new URL(`./workers/${name}.ts`, import.meta.url).href;

/** Starts the thread of an entry, under its name, so that the system's list of threads tells which one is busy. */
export const startNamedThread = (name: string): Worker => new Worker(workerUrl(name), { name });

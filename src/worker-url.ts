/**
 * Returns the URL of a thread's entry. In the executable every module has the URL of the bundle's root, so only a file
 * that lies at the root of the sources can name the others the same way there and under `bun run`.
 */
export const workerUrl = (name: string): string =>
  new URL(`./workers/${name}.ts`, import.meta.url).href;

const waitMsMax = 50_000;
const pauseMs = 25;

/**
 * Checks a claim again and again until it holds; in the end it fails as it did the last time. It serves everything that
 * follows from something asynchronous: what a page shows, what a server has printed, what has been stored.
 */
export async function eventually<T>(claim: () => T | Promise<T>): Promise<T> {
  const deadline = performance.now() + waitMsMax;
  for (;;) {
    try {
      return await claim();
    } catch (error) {
      if (performance.now() > deadline) throw error;
    }
    await Bun.sleep(pauseMs);
  }
}

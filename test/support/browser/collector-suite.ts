import { afterAll, afterEach, beforeAll } from "bun:test";
import { openCollector, type ReplayCollector } from "./replay-collector";

/** Opens a collector for all tests of a file. Each test begins with no page open, and nothing sent. */
export function useCollector(take: (collector: ReplayCollector) => void): void {
  let collector: ReplayCollector | null = null;
  beforeAll(async () => {
    collector = await openCollector();
    take(collector);
  });
  afterEach(async () => {
    for (const context of collector?.browser.contexts() ?? []) await context.close();
    collector?.forget();
  });
  afterAll(() => collector?.close());
}

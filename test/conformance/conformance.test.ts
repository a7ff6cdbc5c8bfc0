import { expect, test } from "bun:test";
import { cases } from "../support/random/cases";
import { conform } from "./conformance";

/** Longer histories are long.ts's. */

const eventsMax = 150;
const askedShare = cases(0.1, 1);

// Chosen because together they have late events, links, merges, clips, purges, restarts and all three cache bounds.
test.each([1, 2, 3, 5, 13, 71])(
  "every read agrees with the model on the history of seed %d",
  async (seed) => {
    expect(await conform(seed, { askedShare, eventsMax })).toBeGreaterThan(0);
  },
);

test("an answer that is wrong is found", async () => {
  const { statsRead } = await import("../../src/features/stats/stats");
  const run = statsRead.run;
  const wrong: typeof run = async (snapshot, input) => {
    const right = await run(snapshot, input);
    if ("json" in right) return right;
    const { totals } = right;
    return { ...right, totals: { ...totals, total_events: totals.total_events + 1 } };
  };
  Object.assign(statsRead, { run: wrong });
  try {
    await expect(conform(1, { eventsMax })).rejects.toThrow(
      "Seed 1: the store and the model differ.",
    );
  } finally {
    Object.assign(statsRead, { run });
  }
});

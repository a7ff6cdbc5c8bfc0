import { expect, test } from "bun:test";
import { usualSizes } from "../support/engine/engine";
import { cases } from "../support/random/cases";
import { compareKept, keptSizes } from "./kept-sessions";

// Larger histories of other seeds are long.ts's.
test.each([0, 1, 2, 3])(
  "kept equals a new one, over random histories (sizes %d)",
  async (index) => {
    const events = index === 0 ? usualSizes.waitingRowsMax + 100 : cases(150, 400);
    const rounds = cases(2, 6);
    expect(await compareKept(keptSizes[index], 1 + index, { events, rounds })).toBe(4 * rounds);
  },
);

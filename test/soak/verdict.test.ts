import { describe, expect, test } from "bun:test";
import { every } from "./every";
import { planOf } from "./plan";
import { type Findings, faultsOf } from "./verdict";

const rest = { memoryMb: 200, descriptors: 80, threads: 15 };
const tally = { events: 10, sum: 55 };
const passed: Findings = {
  rests: [{ ...rest, memoryMb: 100 }, rest, rest, rest],
  counts: [{ project: "large", acknowledged: tally, stored: tally, restored: tally }],
  ...{ mailIds: ["a", "b"], alerts: ["x", "y"], firedAlerts: ["y", "x"] },
  ...{ logBytesPerDay: 50_000_000, logMessages: {}, failedSteps: [] },
};
const faults = (more: Partial<Findings>) => faultsOf({ ...passed, ...more }, planOf(24));
const withRest = (more: Partial<typeof rest>) =>
  faults({ rests: [rest, rest, { ...rest, ...more }] });

describe("a soak", () => {
  test("passes when everything is there once and the server holds no more", () => {
    expect(faults({})).toEqual([]);
    expect(withRest({ memoryMb: 220, descriptors: 90, threads: 21 })).toEqual([]);
  });

  test("fails for a missing event, and for one that is there twice in place of another", () => {
    const missing = { events: 9, sum: 45 };
    const twice = { events: 10, sum: 54 };
    const [count] = passed.counts;
    expect(faults({ counts: [{ ...count, stored: missing }] })).toHaveLength(1);
    expect(faults({ counts: [{ ...count, restored: twice }] })).toEqual([
      "The project large has 10 events with the sum 54 in the newest restore, and " +
        "10 with the sum 55 were acknowledged.",
    ]);
  });

  test("fails for a mail or an alert that came twice, and for an alert that never came", () => {
    expect(faults({ mailIds: ["a", "a"] })).toEqual(["The mail a came more than once."]);
    expect(faults({ firedAlerts: ["x", "y", "x"] })).toEqual([
      "The alert x was told more than once.",
    ]);
    expect(faults({ firedAlerts: ["x"] })).toEqual(["The alert y was never told."]);
  });

  test("fails for memory, files or threads that grow, a long log and a failed step", () => {
    for (const more of [{ memoryMb: 221 }, { descriptors: 91 }, { threads: 22 }]) {
      expect(withRest(more)).toHaveLength(1);
    }
    expect(faults({ rests: [rest, rest] })).toHaveLength(1);
    expect(faults({ logBytesPerDay: 50_000_001 })).toHaveLength(1);
    expect(faults({ failedSteps: ["A stop did not end with 0."] })).toHaveLength(1);
  });
});

describe("the plan of a soak", () => {
  const counted = (hours: number) =>
    planOf(hours).steps.reduce<Record<string, number>>((counts, { what }) => {
      counts[what] = (counts[what] ?? 0) + 1;
      return counts;
    }, {});

  test("stops the server twice an hour, with a kill each second hour, and drills once", () => {
    expect(counted(24)).toEqual({ stop: 36, kill: 12, drill: 24, rest: 24 });
    expect(planOf(24)).toMatchObject({ backupEveryS: 60, restMs: 120_000, memoryGrowthMax: 1.1 });
  });

  test("is the same in shorter hours when there are fewer than four", () => {
    expect(counted(1 / 6)).toEqual({ stop: 6, kill: 2, drill: 4, rest: 4 });
    expect(planOf(1 / 6)).toMatchObject({ backupEveryS: 5, restMs: 30_000, memoryGrowthMax: 2 });
    expect(planOf(2).memoryGrowthMax).toBe(1.1);
  });
});

test("work that fails is noted, and is done again", async () => {
  const failures: string[] = [];
  let count = 0;
  await every(
    1,
    { isOver: () => count >= 3, noteFailure: (text) => void failures.push(text) },
    async () => {
      count += 1;
      if (count < 3) throw new Error(`refused ${count}`);
    },
  );
  expect(failures).toEqual(["Error: refused 1", "Error: refused 2"]);
});

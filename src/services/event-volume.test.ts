import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { Tier } from "../domain/plan";
import { clock } from "../lib/clock";
import { EventVolume } from "./event-volume";

const lastSecondOfJanuary = Date.UTC(2026, 0, 31, 23, 59, 59);
let nowMs = lastSecondOfJanuary;
let restore: () => void = () => undefined;
beforeEach(() => {
  nowMs = lastSecondOfJanuary;
  restore = clock.replace(() => nowMs);
});
afterEach(() => restore());

const tiers: Readonly<Record<string, Tier>> = { small: "free", large: "pro" };
const volumeWith = (stored: number) =>
  new EventVolume(
    (id) => tiers[id] ?? "free",
    nowMs,
    new Map([
      ["small", stored],
      ["large", stored],
    ]),
  );

describe("the monthly events of the free plan", () => {
  test("100,000 fit, and not one more", () => {
    const volume = volumeWith(99_999);
    expect(volume.reserve("small", 1)).toBeNull();
    expect(volume.reserve("small", 1)?.message).toContain("free plan");
    volume.settle("small", 1, 1);
    expect(volume.stored("small")).toBe(100_000);
    expect(volume.reserve("small", 1)?.message).toContain("free plan");
  });

  test("a batch that would cross the limit is refused whole", () => {
    const volume = volumeWith(99_950);
    expect(volume.reserve("small", 51)?.message).toContain("free plan");
    expect(volume.reserve("small", 50)).toBeNull();
  });

  test("what is on its way counts, and comes back when it was not stored", () => {
    const volume = volumeWith(99_900);
    expect(volume.reserve("small", 100)).toBeNull();
    expect(volume.reserve("small", 1)?.message).toContain("free plan");
    volume.release("small", 60);
    expect(volume.reserve("small", 60)).toBeNull();
    volume.settle("small", 100, 30);
    expect(volume.stored("small")).toBe(99_930);
    expect(volume.reserve("small", 70)).toBeNull();
    expect(volume.reserve("small", 1)?.message).toContain("free plan");
  });

  test("the refusal says until when", () => {
    const refusal = volumeWith(100_000).reserve("small", 1);
    expect(refusal).toMatchObject({
      code: "RATE_LIMITED",
      extras: { reason: "monthly_event_limit", retry_after_seconds: 1 },
    });
  });

  test("a new month begins at nothing", () => {
    const volume = volumeWith(100_000);
    nowMs = lastSecondOfJanuary + 999;
    expect(volume.reserve("small", 1)?.message).toContain("free plan");
    nowMs = Date.UTC(2026, 1, 1);
    expect(volume.reserve("small", 100_000)).toBeNull();
    expect(volume.stored("small")).toBe(0);
  });
});

test("Pro has no limit, and is counted all the same", () => {
  const volume = volumeWith(100_000);
  expect(volume.reserve("large", 1_000_000)).toBeNull();
  volume.settle("large", 1_000_000, 999_999);
  expect(volume.stored("large")).toBe(1_099_999);
});

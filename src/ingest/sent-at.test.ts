import { describe, expect, test } from "bun:test";
import { dayMs, minuteMs } from "../lib/clock";
import { acceptEvent } from "./fields";
import { isRefusal } from "./refusal";
import type { SubmittedEvent } from "./submission";

const nowMs = Date.parse("2026-03-10T12:00:00.000Z");

const accepted = (item: SubmittedEvent) => {
  const event = acceptEvent(item, nowMs, null);
  if (isRefusal(event)) throw new Error(`refused: ${event.message}`);
  return event;
};
const refused = (item: SubmittedEvent) => {
  const refusal = acceptEvent(item, nowMs, null);
  if (!isRefusal(refusal)) throw new Error("accepted");
  return [refusal.code, refusal.field];
};

describe("sent_at", () => {
  const aheadMs = 400 * dayMs;
  const timeOf = (item: Omit<SubmittedEvent, "event">) => accepted({ event: "e", ...item }).timeMs;
  test("corrects the sender's clock, however wrong: the age is counted back from the receipt", () => {
    for (const wrongMs of [0, 7 * minuteMs, dayMs, -40 * dayMs, -2 * 60 * minuteMs, aheadMs]) {
      const sent_at = nowMs + wrongMs;
      expect(timeOf({ timestamp: sent_at, sent_at })).toBe(nowMs);
      expect(timeOf({ timestamp: sent_at - 5_000, sent_at })).toBe(nowMs - 5_000);
    }
    expect(timeOf({ timestamp: 0, sent_at: 1_000 })).toBe(nowMs - 1_000);
  });
  test("of an event that seems younger than its request gives the time of receipt", () => {
    expect(timeOf({ timestamp: nowMs + dayMs, sent_at: nowMs })).toBe(nowMs);
    expect(timeOf({ timestamp: 1e300, sent_at: 0 })).toBe(nowMs);
  });
  test("allows an age of 30 days", () => {
    const sent_at = nowMs + aheadMs;
    const timestamp = sent_at - 30 * dayMs;
    expect(timeOf({ timestamp, sent_at })).toBe(nowMs - 30 * dayMs);
    expect(refused({ event: "e", timestamp: timestamp - 1, sent_at })).toEqual([
      "INVALID_TIMESTAMP",
      undefined,
    ]);
  });
  test("without a timestamp changes nothing, and fractions are cut off", () => {
    expect(timeOf({ sent_at: nowMs + aheadMs })).toBe(nowMs);
    expect(timeOf({ timestamp: 10.25, sent_at: 20.5 })).toBe(nowMs - 11);
  });
  test("of a batch stands in for items without one of their own", () => {
    const of = (item: SubmittedEvent) => acceptEvent(item, nowMs, null, 1_000);
    expect(of({ event: "e", timestamp: 400 })).toMatchObject({ timeMs: nowMs - 600 });
    expect(of({ event: "e", timestamp: 400, sent_at: null })).toMatchObject({
      timeMs: nowMs - 600,
    });
    expect(of({ event: "e", timestamp: 400, sent_at: 500 })).toMatchObject({
      timeMs: nowMs - 100,
    });
  });
  test("is a finite number", () => {
    for (const sent_at of [String(nowMs), true, {}, [nowMs], "", Number.POSITIVE_INFINITY]) {
      expect(refused({ event: "e", sent_at })).toEqual(["INVALID_TIMESTAMP", "sent_at"]);
    }
    const infinite = { event: "e", timestamp: Number.POSITIVE_INFINITY, sent_at: nowMs };
    expect(refused(infinite)).toEqual(["INVALID_TIMESTAMP", undefined]);
  });
});

import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { ApiError } from "../../domain/errors";
import { clock, minuteMs } from "../../lib/clock";
import { RateLimited, Rates } from "./rates";

let nowMs = 0;
let restore: () => void;
beforeEach(() => {
  nowMs = Date.UTC(2026, 0, 31, 12, 0, 15);
  restore = clock.replace(() => nowMs);
});
afterEach(() => restore());

const refusal = (run: () => unknown): RateLimited => {
  try {
    run();
  } catch (error) {
    if (error instanceof RateLimited) return error;
  }
  throw new Error("nothing was refused");
};

describe("a bucket", () => {
  test("gives its limit within a UTC minute, then refuses until the next one begins", () => {
    const rates = new Rates();
    const resetSeconds = Date.UTC(2026, 0, 31, 12, 1) / 1000;
    expect(rates.spend("account:a", 2)).toEqual({ limit: 2, remaining: 1, resetSeconds });
    expect(rates.spend("account:a", 2)).toEqual({ limit: 2, remaining: 0, resetSeconds });
    const refused = refusal(() => rates.spend("account:a", 2, () => "free"));
    expect(refused).toBeInstanceOf(ApiError);
    expect([refused.status, refused.extras]).toEqual([
      429,
      { reason: "rate_limit", retry_after_seconds: 45 },
    ]);
    expect(refused.message).toContain("free plan");
    expect(refused.allowance).toEqual({ limit: 2, remaining: 0, resetSeconds });

    nowMs = resetSeconds * 1000 - 1;
    const last = refusal(() => rates.spend("account:a", 2, () => "pro"));
    expect(last.extras.retry_after_seconds).toBe(1);
    expect(last.message).not.toContain("plan");
    nowMs += 1;
    expect(rates.spend("account:a", 2).remaining).toBe(1);
  });

  test("refuses by a value where the caller asks for one", () => {
    const rates = new Rates();
    expect(rates.trySpend("ingest:p", 1)).toMatchObject({ limit: 1, remaining: 0 });
    const refused = rates.trySpend("ingest:p", 1, () => "free");
    expect(refused).toBeInstanceOf(RateLimited);
    expect(refused).toMatchObject({ code: "RATE_LIMITED", extras: { retry_after_seconds: 45 } });
  });

  test("is nobody else's", () => {
    const rates = new Rates();
    rates.spend("account:a", 1);
    expect(rates.spend("account:b", 1).remaining).toBe(0);
  });

  test("with limit 0 never refuses", () => {
    const rates = new Rates();
    for (let i = 0; i < 5_000; i++) expect(rates.spend("account:a", 0).limit).toBe(0);
  });
});

describe("buckets of addresses", () => {
  const left = (rates: Rates, address: string, name = "sign-in") =>
    rates.spendOfAddress(name, address, 10).remaining;

  test("differ by name, and are one for an IPv6 network", () => {
    const rates = new Rates();
    expect([left(rates, "192.0.2.1"), left(rates, "192.0.2.1")]).toEqual([9, 8]);
    expect([left(rates, "192.0.2.1", "start"), left(rates, "192.0.2.2")]).toEqual([9, 9]);
    expect([left(rates, "2001:db8:0:1::1"), left(rates, "2001:0DB8::1:ffff:0:0:2")]).toEqual([
      9, 8,
    ]);
    expect([left(rates, "2001:db8:0:2::1"), left(rates, "::1")]).toEqual([9, 9]);
  });

  test("beyond 100,000 in a minute neighbours share one, so that a flood cannot grow memory", () => {
    const rates = new Rates();
    const flood = (from: number, count: number) => {
      for (let n = from; n < from + count; n++) {
        left(rates, `2001:db8:${(n >> 16).toString(16)}:${(n & 0xffff).toString(16)}::1`);
      }
    };
    flood(0, 100_000);
    flood(100_000, 10);
    expect(() => flood(100_010, 1)).toThrow(RateLimited);
    // The first ones have their own, and whoever comes from elsewhere is no neighbour.
    expect(left(rates, "2001:db8::1")).toBe(8);
    expect(left(rates, "198.51.100.7")).toBe(9);
    nowMs += minuteMs;
    flood(100_010, 1);
  });

  test("never take the place of an account's, however many come", () => {
    const rates = new Rates();
    for (let n = 0; n < 100_000; n++)
      rates.spendOfAddress("start", `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`, 1);
    for (let n = 0; n < 20; n++) rates.spendOfStranger(`poll:${n}`, 60);
    for (let n = 0; n < 20; n++) expect(rates.spend(`cookie:${n}`, 1).remaining).toBe(0);
  });
});

test("what stands for a network is the same for all of it, and hides the address", () => {
  const rates = new Rates();
  const key = rates.networkKey("192.0.2.1");
  expect(key).not.toContain("192.0");
  expect(rates.networkKey("192.0.2.250")).toBe(key);
  expect(rates.networkKey("192.0.3.1")).not.toBe(key);
  expect(new Rates().networkKey("192.0.2.1")).not.toBe(key);
  expect(rates.networkKey("2001:db8:0:1::1")).toBe(rates.networkKey("2001:db8:0:1:f::2"));
  expect(rates.networkKey("2001:db8:0:1::1")).not.toBe(rates.networkKey("2001:db8:0:2::1"));
});

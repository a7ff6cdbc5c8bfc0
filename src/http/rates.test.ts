import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { ApiError } from "../domain/errors";
import { clock, minuteMs } from "../lib/clock";
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
  test("hide the address, and differ by name and by process", () => {
    const rates = new Rates();
    const bucket = rates.addressBucket("sign-in", "192.0.2.1");
    expect(bucket).not.toContain("192");
    expect(rates.addressBucket("sign-in", "192.0.2.1")).toBe(bucket);
    expect(rates.addressBucket("start", "192.0.2.1")).not.toBe(bucket);
    expect(new Rates().addressBucket("sign-in", "192.0.2.1")).not.toBe(bucket);
  });

  test("are one for an IPv6 network", () => {
    const rates = new Rates();
    const bucket = (address: string) => rates.addressBucket("sign-in", address);
    expect(bucket("2001:db8:0:1::1")).toBe(bucket("2001:0DB8::1:ffff:0:0:2"));
    expect(bucket("2001:db8:0:1::1")).not.toBe(bucket("2001:db8:0:2::1"));
    expect(bucket("::1")).not.toBe(bucket("2001:db8::1"));
  });

  test("beyond 100,000 in a minute share one, so that a flood cannot grow memory", () => {
    const rates = new Rates();
    for (let i = 0; i < 100_000; i++) rates.spend(`sign-in:${i}`, 10);
    for (let i = 0; i < 10; i++) rates.spend(`sign-in:late-${i}`, 10);
    expect(() => rates.spend("sign-in:later", 10)).toThrow(RateLimited);
    expect(rates.spend("sign-in:7", 10).remaining).toBe(8);
    nowMs += minuteMs;
    expect(rates.spend("sign-in:later", 10).remaining).toBe(9);
  });
});

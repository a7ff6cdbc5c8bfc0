import { describe, expect, test } from "bun:test";
import { fromBase32, newTotpSecret, totpCode, totpStepAt } from "./totp";

const secret = Buffer.from("12345678901234567890");

describe("a code that changes with the time", () => {
  // RFC 6238, appendix B: the time in seconds, and the code of eight digits, of which ours are the last six.
  test.each([
    [59, "94287082"],
    [1_111_111_109, "07081804"],
    [1_111_111_111, "14050471"],
    [1_234_567_890, "89005924"],
    [2_000_000_000, "69279037"],
    [20_000_000_000, "65353130"],
  ])("is at second %d that of the RFC", (seconds, code) => {
    expect(totpCode(secret, totpStepAt(seconds * 1_000))).toBe(code.slice(2));
  });

  // RFC 4226, appendix D, whose counter is our step.
  test("follows the counter from 0 to 9 as the RFC has it", () => {
    const codes = Array.from({ length: 10 }, (_, step) => totpCode(secret, step));
    expect(codes).toEqual([
      ...["755224", "287082", "359152", "969429", "338314"],
      ...["254676", "287922", "162583", "399871", "520489"],
    ]);
  });

  test("has secrets of 160 bits in base32, which differ", () => {
    const secrets = Array.from({ length: 50 }, newTotpSecret);
    expect(new Set(secrets).size).toBe(50);
    for (const one of secrets) expect(one).toMatch(/^[A-Z2-7]{32}$/);
    expect(fromBase32(secrets[0] ?? "")).toHaveLength(20);
    expect(Buffer.from(fromBase32("GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"))).toEqual(secret);
  });
});

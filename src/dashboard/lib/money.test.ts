import { expect, test } from "bun:test";
import { money, shortMoney } from "./money";

test("a sum is exact in titles and short in lists", () => {
  expect(money(1234.5, "EUR")).toBe("€1,234.50");
  expect(money(0.1 + 0.2, "EUR")).toBe("€0.30");
  expect(money(1234.567, null)).toBe("1,234.57");
  expect(money(5000, "JPY")).toBe("¥5,000");
  expect(shortMoney(12.5, "EUR")).toBe("€12.50");
  expect(shortMoney(0, "EUR")).toBe("€0.00");
  expect(shortMoney(1234.5, "EUR")).toBe("€1,235");
  expect(shortMoney(9_999.4, "EUR")).toBe("€9,999");
  expect(shortMoney(12_345, "EUR")).toBe("€12.3k");
  expect(shortMoney(-12_345_678, "USD")).toBe("-$12.3M");
  expect(shortMoney(12.345, null)).toBe("12.35");
  expect(shortMoney(12_345, null)).toBe("12.3k");
});

test("an unknown currency stays as its three letters", () => {
  expect(money(1, "ZZZ").replace(/\s/, " ")).toBe("ZZZ 1.00");
});

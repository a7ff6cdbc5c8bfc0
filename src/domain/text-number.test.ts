import { expect, test } from "bun:test";
import { isTextNumber } from "./text-number";

test("a text is a number where JSON.parse takes it for one, and no white space is around it", () => {
  for (const text of [
    "0",
    "-0",
    "49",
    "-1.50",
    "1e3",
    "1E+03",
    "2.5e-7",
    "1e999",
    "1".repeat(99),
  ]) {
    expect(isTextNumber(text)).toBe(true);
    expect(typeof JSON.parse(text)).toBe("number");
  }
  const others = ["", "-", "+1", "01", ".5", "1.", "1e", "0x10", "1,5", "1 000", "NaN", "49 EUR"];
  for (const text of [...others, " 49", "49\n", "Infinity", "٣"]) {
    expect(isTextNumber(text)).toBe(false);
  }
  for (const value of [49, null, true, ["49"], { n: "49" }])
    expect(isTextNumber(value)).toBe(false);
});

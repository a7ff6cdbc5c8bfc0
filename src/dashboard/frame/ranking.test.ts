import { describe, expect, test } from "bun:test";
import { destinations, pageWords } from "./destinations";
import { rankOf } from "./ranking";

const pages = Object.entries(pageWords).map(([text, words]) => ({ text, words }));
const first = (written: string, count = 3): string[] =>
  [...pages, ...destinations]
    .map((one) => ({ text: one.text, rank: rankOf(one, written) }))
    .filter(({ rank }) => rank > 0)
    .sort((a, b) => b.rank - a.rank)
    .slice(0, count)
    .map(({ text }) => text);

describe("the words that people use", () => {
  test.each([
    ["campaign", "Campaigns"],
    ["utm", "Campaigns"],
    ["revenue", "Goals"],
    ["invite", "Invite somebody"],
    ["team", "Invite somebody"],
    ["goal", "New goal"],
    ["bounce", "Bounce rate"],
    ["gdpr", "Delete or export one person"],
    ["release", "Mark a release"],
    ["annotation", "Mark a release"],
    ["new project", "New project"],
    ["share", "Share this project"],
    ["letter", "Set up the weekly letter"],
    ["2fa", "Security"],
    ["heatmap", "Weekdays and hours"],
    ["404", "Missing pages"],
    ["recordings", "replays"],
    ["users", "people"],
    ["web vitals", "Core Web Vitals"],
    ["a/b", "New experiment"],
  ])("%s finds %s", (written, wanted) => {
    expect(first(written)).toContain(wanted);
  });
});

describe("the rank", () => {
  test("is highest for the beginning of the name, then of a word of it, then of another word", () => {
    const ranks = [
      rankOf({ text: "Goals" }, "goa"),
      rankOf({ text: "New goal" }, "goa"),
      rankOf({ text: "Cargoat" }, "goa"),
      rankOf({ text: "Revenue", words: "goals" }, "goa"),
      rankOf({ text: "Geo map" }, "goa"),
      rankOf({ text: "Pages" }, "goa"),
    ];
    expect(ranks).toEqual([...ranks].sort((a, b) => b - a));
    expect(new Set(ranks).size).toBe(ranks.length);
    expect(ranks.at(-1)).toBe(0);
  });
  test("needs every word, in any order", () => {
    expect(rankOf({ text: "New goal" }, "goal new")).toBeGreaterThan(1);
    expect(rankOf({ text: "New goal" }, "goal xyz")).toBe(0);
  });
  test("is the same for all texts before the reader writes, so that they keep their order", () => {
    expect(rankOf({ text: "Goals" }, "  ")).toBe(rankOf({ text: "Pages" }, ""));
  });
});

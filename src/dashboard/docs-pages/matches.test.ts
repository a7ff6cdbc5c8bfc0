import { expect, test } from "bun:test";
import { matchesOf, type Section, wordsOf } from "./matches";

const section = (heading: string, text: string, title = "Page"): Section => ({
  ...{ path: "page", title, anchor: heading.toLowerCase(), heading, text },
});
const sections = [
  section("", "A bounce is a session with one event."),
  section("Sessions", "Entry pages, bounces and the like."),
  section("Bounce", "One event."),
  section("Filters", `${"word ".repeat(30)}a place of the needle ${"word ".repeat(60)}`),
];
const headings = (text: string): readonly string[] =>
  matchesOf(sections, wordsOf(text)).map((match) => match.section.heading);

test("finds sections that have all words, in their heading first", () => {
  expect(headings("bounce")).toEqual(["Bounce", "", "Sessions"]);
  expect(headings("  BOUNCE, sess")).toEqual(["Sessions", ""]);
  expect(headings("bounce nowhere")).toEqual([]);
  expect(wordsOf("  ")).toEqual([]);
});

test("shows the text around the first word, cut at words", () => {
  const [match] = matchesOf(sections, ["needle"]);
  expect(match?.excerpt).toMatch(/^… word .*needle.* …$/);
  expect(match?.excerpt.length).toBeLessThan(150);
  expect(matchesOf(sections, ["one"]).find(({ section: one }) => one.heading === "")?.excerpt).toBe(
    "A bounce is a session with one event.",
  );
});

test("shows at most twenty, and takes what is typed as text", () => {
  const many = Array.from({ length: 30 }, (_, at) => section(`Heading ${at}`, "(a+)+$"));
  expect(matchesOf(many, wordsOf("(a+)+$")).length).toBe(20);
});

import { expect, test } from "bun:test";
import { destinations, pageWords } from "../src/dashboard/frame/destinations";
import { sourcesIn } from "./support/suite/sources";

const texts = sourcesIn("src/dashboard").map(({ text }) => text);

test("the palette leads to cards whose headings are on a page", () => {
  const cards = destinations.flatMap(({ card }) => card ?? []);
  expect(cards.length).toBeGreaterThan(30);
  const pages = sourcesIn("src/dashboard/pages").map(({ text }) => text);
  const isThere = (card: string) =>
    pages.some((text) => [`title="${card}"`, `title: "${card}"`].some((one) => text.includes(one)));
  expect(cards.filter((card) => !isThere(card))).toEqual([]);
});

test("no two of its lines are the same, and each has other words", () => {
  const lines = destinations.map(({ kind, text }) => `${kind} ${text}`);
  expect(new Set(lines).size).toBe(lines.length);
  expect(destinations.filter(({ words }) => words === "")).toEqual([]);
});

test("it knows other words for every page of a project", () => {
  const nav = texts.find((text) => text.includes("const allGroups")) ?? "";
  const pages = [...nav.matchAll(/\["(\w+)", "[^"]+", "\w"\]/g)].map(([, page]) => page);
  expect(pages.length).toBeGreaterThan(15);
  expect(Object.keys(pageWords).sort()).toEqual(pages.sort());
});

/** Cards that are not always there, or that one of these stands for. */
const isLeftOut = new Set(["New goal", "Delete the account", "The import"]);

test("it finds every tab of the settings, and every card of them and of the account", () => {
  const folders = ["project", "account", "move"].map((name) => `src/dashboard/pages/${name}`);
  const titles = sourcesIn(...folders).flatMap(({ text }) =>
    [...text.matchAll(/<Card\b[^>]*?\btitle="([^"]+)"/g)].map(([, title = ""]) => title),
  );
  expect(titles.length).toBeGreaterThan(20);
  const found = new Set(destinations.map(({ card }) => card));
  expect(titles.filter((title) => !found.has(title) && !isLeftOut.has(title))).toEqual([]);
  const tabs = texts.find((text) => text.includes("const allTabs")) ?? "";
  const keys = [...tabs.matchAll(/^ {2}\["(\w+)", "/gm)].map(([, key]) => key);
  expect(keys.length).toBeGreaterThan(5);
  const known = new Set(destinations.map(({ tab }) => tab));
  expect(keys.filter((key) => !known.has(key))).toEqual([]);
});

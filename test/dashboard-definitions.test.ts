import { expect, test } from "bun:test";
import { definitions } from "../src/dashboard/lib/definitions";
import { metrics } from "../src/dashboard/pages/overview/metrics";
import { renderPage } from "../src/http/docs/render";
import { sourcesIn, textOf } from "./support/suite/sources";

const sources = sourcesIn("src/dashboard");

test("the definitions that the dashboard links have an anchor on their page", () => {
  const file = "definitions.md";
  const { html } = renderPage(file, textOf(`src/docs/${file}`), new Set([file]));
  const missing = Object.values(definitions).filter((anchor) => !html.includes(` id="${anchor}"`));
  expect(missing).toEqual([]);
});

test("every definition is linked by a page of the dashboard", () => {
  const uses = sources.flatMap(({ text }) =>
    [...text.matchAll(/\b(?:about|by)="(\w+)"/g)].map(([, name = ""]) => name),
  );
  const linked = new Set([...uses, ...metrics.map(({ column }) => column)]);
  expect(Object.keys(definitions).filter((name) => !linked.has(name))).toEqual([]);
});

/** Cards of these pages ask for something or set something up; they show no number. */
const without =
  /pages\/(account|administration|experiments\/new|move|people\/(search|unlink)|plan\/upgrade|project|start)/;

test("every card that shows numbers links their definition", () => {
  const cards = sources.flatMap(({ path, text }) =>
    [...text.matchAll(/<(?:Days)?Card\b[\s\S]*?>/g)].map(([card]) => ({ path, card })),
  );
  const unlinked = cards.filter(
    ({ path, card }) => !without.test(path) && !card.includes("about="),
  );
  expect(cards.length).toBeGreaterThan(40);
  expect(unlinked.map(({ path }) => path)).toEqual([]);
});

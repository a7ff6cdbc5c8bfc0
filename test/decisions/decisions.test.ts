import { describe, expect, test } from "bun:test";
import { filesIn, linesOf, sourcesIn, textOf } from "../support/suite/sources";
import { decisionsIn, decisionsInTheCode, indexOf, indexPath } from "./decisions";

const decisions = decisionsInTheCode();
const where = ({ path, title }: { readonly path: string; readonly title: string }): string =>
  `${path}: ${title}`;

describe("the index of decisions", () => {
  test("is what `bun test/decisions/write.ts` writes", () => {
    expect(decisions.length).toBeGreaterThan(100);
    expect(textOf(indexPath)).toBe(indexOf(decisions));
  });

  test("has every decision that a file tells", () => {
    const told = sourcesIn("src", "tracker", "test")
      .filter(({ path }) => !path.startsWith("test/decisions/"))
      .flatMap(({ path, text }) => linesOf(text, /^\W*Decision:/).map(() => path));
    expect(decisions.map(({ path }) => path).sort()).toEqual(told.sort());
  });

  test("has both decisions of a header that tells two", () => {
    const header = ["/*", ...told("One."), " *", ...told("Another."), " */", "", "code"].join("\n");
    const parts = ["Decision", "Because", "Cost"];
    expect(decisionsIn({ path: "src/a.ts", text: header })).toEqual([
      { path: "src/a.ts", title: "One", parts },
      { path: "src/a.ts", title: "Another", parts },
    ]);
    expect(decisionsIn({ path: "src/a.ts", text: "/** No decision. */" })).toEqual([]);
  });
});

describe("a decision", () => {
  test("gives its reason and its cost, and last what would reopen it", () => {
    const complete = ["Decision, Because, Cost", "Decision, Because, Cost, Revisit"];
    const odd = decisions.filter(({ parts }) => !complete.includes(parts.join(", ")));
    expect(odd.map(where)).toEqual([]);
  });

  test("has a title of its own", () => {
    const titles = decisions.map(({ title }) => title);
    expect(decisions.filter(({ title }, at) => titles.indexOf(title) !== at).map(where)).toEqual(
      [],
    );
  });

  test("has no line that says that nothing would reopen it", () => {
    const shaping = filesIn("src/docs/internals/decisions").filter((path) => path.endsWith(".md"));
    const files = new Set([...decisions.map(({ path }) => path), ...shaping]);
    const empty = /\bRevisit:(\*\*)? *(no\b|never\b|with the contract)/;
    expect(empty.test(" * Revisit: never.")).toBe(true);
    const idle = [...files].filter((path) => linesOf(textOf(path), empty).length > 0);
    expect(idle).toEqual([]);
  });
});

function told(title: string): readonly string[] {
  return [` * ${title}`, " * Decision: it is", " * so.", " * Because: of that.", " * Cost: none."];
}

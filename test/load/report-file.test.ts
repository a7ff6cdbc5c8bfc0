import { expect, test } from "bun:test";
import { join } from "node:path";
import { removeFolder, temporaryFolder } from "../support/server/server";
import { pathFromRoot } from "../support/suite/sources";
import { keepReport, keepSection, withReport, withSection } from "./report-file";

const byHand = "### Measured by hand\n\n| what | measured |\n";

test("a report takes the place of the one before, and what is written by hand stays as it is", async () => {
  const folder = temporaryFolder();
  try {
    const path = join(folder, "page.md");
    await keepReport(path, "# First\n\nold figures");
    const first = await Bun.file(path).text();
    expect(first).toStartWith("# First\n\nold figures\n\n[//]");
    await Bun.write(path, `${first}\n${byHand}`);
    await keepReport(path, "# Second");
    const second = await Bun.file(path).text();
    expect(second).toStartWith("# Second\n\n[//]");
    expect(second).toEndWith(`)\n\n${byHand}`);
    expect(second).not.toContain("old figures");
    await keepReport(path, "# Second");
    expect(await Bun.file(path).text()).toBe(second);
  } finally {
    removeFolder(folder);
  }
});

test("of a file without a report nothing is lost, and one with two ends is refused", () => {
  const found = withReport(byHand, "# Report");
  expect(found).toStartWith("# Report\n");
  expect(found).toEndWith(byHand);
  expect(() => withReport(found + found, "# Report")).toThrow("several ends of its report");
});

test("the table that is kept says where it ends, and has sections by hand behind", async () => {
  const table = await Bun.file(
    pathFromRoot("src", "docs", "benchmarks", "hundred-million.md"),
  ).text();
  const after = withReport(table, "# The last measurement");
  expect(after).toContain("### Remarks");
  expect(after).not.toContain("### Reads, ms: first / live / warm");
});

test("a section takes the place of the one between its marks, and a file without the marks stays", async () => {
  const marks = ["[//]: # (one writes from here:)", "[//]: # (one has written to here.)"] as const;
  const before = `# Report\n\n${marks.join("\n\n")}\n\n${byHand}`;
  const first = withSection(before, "one", "| old |") ?? "";
  expect(first).toBe(`# Report\n\n${marks.join("\n\n| old |\n\n")}\n\n${byHand}`);
  expect(withSection(first, "one", "| new |")).toBe(first.replace("old", "new"));
  expect(withSection(first, "two", "| new |")).toBeNull();
  const folder = temporaryFolder();
  try {
    const path = join(folder, "page.md");
    await Bun.write(path, first);
    expect(await keepSection(path, "two", "| new |")).toBe(false);
    expect(await Bun.file(path).text()).toBe(first);
    expect(await keepSection(path, "one", "| new |")).toBe(true);
    expect(await Bun.file(path).text()).toBe(first.replace("old", "new"));
  } finally {
    removeFolder(folder);
  }
});

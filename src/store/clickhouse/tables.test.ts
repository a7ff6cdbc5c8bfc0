import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { pathFromRoot } from "../../../test/support/suite/sources";
import { migrations } from "./migrate";

/** The statements as an operator would read them. */
const wanted = (name: string): string =>
  readFileSync(pathFromRoot("test", "clickhouse", "statements", name), "utf8");

test.each([
  ["one-server.sql", null],
  ["cluster.sql", "main"],
])("the tables of test/clickhouse/statements/%s are made", (file, cluster) => {
  const layout = { database: "sightline", cluster };
  const steps = migrations.map((statements, step) => {
    const made = statements(layout).map((statement) => `${statement};\n`);
    return `-- Version ${step + 1}\n\n${made.join("\n")}`;
  });
  expect(steps.join("\n")).toBe(wanted(file));
});

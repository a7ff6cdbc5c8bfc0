import { afterAll, beforeAll, expect, test } from "bun:test";
import { type TestApp, testApp } from "../support/app/app";
import { textOf } from "../support/suite/sources";

/** What each number means stands in the page of definitions, under the name that the answer gives it. */

let app: TestApp;
beforeAll(async () => {
  app = await testApp();
});
afterAll(() => app.close());

interface Node {
  readonly type?: string | undefined;
  readonly anyOf?: readonly Node[] | undefined;
  readonly items?: Node | undefined;
  readonly properties?: Readonly<Record<string, Node>> | undefined;
}
const isNumber = ({ type }: Node): boolean => type === "integer" || type === "number";

/** Names of the fields that are numbers, or lists of numbers. */
function numbersIn(node: Node, name = ""): readonly string[] {
  const parts = [...(node.anyOf ?? []), ...(node.items === undefined ? [] : [node.items])];
  return [
    ...(isNumber(node) ? [name] : []),
    ...parts.flatMap((part) => numbersIn(part, name)),
    ...Object.entries(node.properties ?? {}).flatMap(([key, one]) => numbersIn(one, key)),
  ];
}

/** They are of the exchange with a recorder, a player, OAuth and MCP, and say nothing about visitors. */
const ofProtocols: ReadonlySet<string> = new Set([
  ...["seq", "next_seq", "next_after", "flush_interval_ms", "max_segment_bytes"],
  ...["expires_in", "client_id_issued_at", "id", "code"],
]);
const isTime = (name: string): boolean => name.endsWith("_at");

test("every number of every answer is defined", () => {
  const page = textOf("src/docs/definitions.md");
  const quoted = new Set(
    [...page.matchAll(/`([^`]+)`/g)].flatMap(([, text = ""]) => text.match(/\w+/g) ?? []),
  );
  const named = app.operations.flatMap(({ returns }) =>
    Object.values(returns).flatMap((schema) => numbersIn(schema)),
  );
  expect(new Set(named).size).toBeGreaterThan(100);
  const left = new Set(named.filter((name) => !isTime(name) && !ofProtocols.has(name)));
  expect([...left].filter((name) => !quoted.has(name)).sort()).toEqual([]);
});

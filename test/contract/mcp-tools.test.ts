import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { filterOps } from "../../src/domain/filter";
import { countModes, metricNames, namedGroups, propertyMeasures } from "../../src/domain/metric";
import { scopes } from "../../src/domain/scope";
import type { Operation } from "../../src/http/operation/operation";
import { isAccountRead, moreReads, tools } from "../../src/mcp/tools";
import { type Json, type TestApp, testApp } from "../support/app/app";
import { resultOf } from "../support/app/mcp";
import { bearer, signIn } from "../support/app/sign-in";

let app: TestApp;
beforeAll(async () => {
  app = await testApp();
});
afterAll(() => app.close());

const operationNamed = (name: string): Operation => {
  const found = app.operations.find((one) => one.name === name);
  if (found === undefined) throw new Error(name);
  return found;
};

describe("the tools", () => {
  test("reach every read of an account, each by exactly one", () => {
    const reached = [
      ...tools.flatMap(({ operations }) => operations),
      ...moreReads(app.operations).map(({ name }) => name),
    ];
    expect(new Set(reached).size).toBe(reached.length);
    const reads = app.operations.filter(isAccountRead).map(({ name }) => name);
    expect(reads.filter((name) => !reached.includes(name))).toEqual([]);
    const streamsAndAliases = ["GET /stream", "GET /live/ws", "POST /events", "POST /journey"];
    const others = app.operations.filter(
      ({ name, rule }) => rule.read && !reached.includes(name) && !streamsAndAliases.includes(name),
    );
    expect(others.map(({ name }) => name)).toEqual([]);
    expect(reached.some((name) => name.startsWith("DELETE "))).toBe(false);
  });

  test("take what their operations take, and nothing else but the bounds of their rows", async () => {
    const { tools: shown } = (await resultOf(app, "tools/list")) as { tools: Shown[] };
    expect(shown.map(({ name }) => name)).toEqual([
      ...tools.map(({ name }) => name).slice(0, -5),
      "more_reads",
      ...tools.map(({ name }) => name).slice(-5),
    ]);
    for (const { name, inputSchema } of shown) {
      const tool = tools.find((one) => one.name === name);
      if (tool === undefined) continue;
      const asked = tool.operations.filter((one) => one !== "GET /journey");
      const fields = asked.flatMap((one) => [
        ...Object.keys(operationNamed(one).takes.properties ?? {}),
        ...[...one.matchAll(/\{(\w+)\}/g)].map(([, part]) => part ?? ""),
      ]);
      const bounds = tool.kind === "read" ? ["max_rows", "after_row"] : [];
      const hasReceipt = asked.some((one) => operationNamed(one).hasReceipt);
      if (hasReceipt) bounds.push("receipt");
      expect([name, Object.keys(inputSchema.properties).sort()]).toEqual([
        name,
        [...new Set([...fields, ...bounds])].sort(),
      ]);
      expect(inputSchema.additionalProperties).toBe(false);
    }
  });

  test("are described in whole sentences, with the words that `query` takes", async () => {
    const { tools: shown } = (await resultOf(app, "tools/list")) as { tools: Shown[] };
    for (const { name, description, inputSchema } of shown) {
      expect([name, description]).toEqual([name, expect.stringMatching(/[.]$/)]);
      if (name === "more_reads") continue;
      for (const [field, one] of Object.entries(inputSchema.properties)) {
        const words = (one as { description?: string }).description ?? ".";
        expect([name, field, words]).toEqual([name, field, expect.stringMatching(/[.]$/)]);
      }
    }
    const query = JSON.stringify(shown.find(({ name }) => name === "query"));
    const names = namedGroups.map((name) => name.replace(/^(session\.|user\.first_)/, ""));
    for (const word of [
      ...metricNames,
      ...propertyMeasures,
      ...names,
      ...filterOps,
      ...countModes,
    ]) {
      expect([word, query.includes(word)]).toEqual([word, true]);
    }
  });

  test("name the fields of the operations that have no tool of their own", async () => {
    const { tools: shown } = (await resultOf(app, "tools/list")) as { tools: Shown[] };
    const text = JSON.stringify(shown.find(({ name }) => name === "more_reads"));
    for (const { doc, takes } of moreReads(app.operations)) {
      const [, fields = ""] = new RegExp(`${doc.id}\\(([^)]*)\\)`).exec(text) ?? [];
      for (const field of Object.keys(takes.properties ?? {})) {
        if (["context", "tz"].includes(field)) continue;
        expect([doc.id, field, fields.match(/\w+/g)?.includes(field)]).toEqual([
          doc.id,
          field,
          true,
        ]);
      }
    }
    expect(text).not.toContain("openapi.json");
  });

  test("are told shortly: 220 characters each, 16 KiB all together to who reads", async () => {
    // A session that a person approved, with every scope that reads.
    const asked = scopes.filter((scope) => scope.endsWith(":read"));
    const session = await signIn(app, { client_type: "mcp", scopes: asked });
    expect(session.scopes).toEqual(asked);
    const { headers } = bearer(session);
    const { tools: shown } = (await resultOf(app, "tools/list", {}, headers)) as { tools: Shown[] };
    expect(shown.every(({ description }) => description.length <= 220)).toBe(true);
    expect(shown.every(({ annotations }) => annotations.readOnlyHint)).toBe(true);
    const short = shown.map(({ outputSchema: _, ...rest }) => rest);
    // One form of output is the same for all of them: the instructions describe it once.
    expect(Buffer.byteLength(JSON.stringify(shown))).toBeLessThanOrEqual(17 * 1024);
    expect(Buffer.byteLength(JSON.stringify(short))).toBeLessThanOrEqual(16 * 1024);
  });
});

interface Shown {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: { readonly properties: Json; readonly additionalProperties: unknown };
  readonly outputSchema: unknown;
  readonly annotations: { readonly readOnlyHint: boolean };
}

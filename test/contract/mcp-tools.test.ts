import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Operation } from "../../src/http/operation/operation";
import { isAccountRead, moreReads, tools } from "../../src/mcp/tools";
import { type Json, noonMs, type TestApp, testApp } from "../support/app";
import { resultOf } from "../support/mcp";

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
      expect([name, Object.keys(inputSchema.properties).sort()]).toEqual([
        name,
        [...new Set([...fields, ...bounds])].sort(),
      ]);
      expect(inputSchema.additionalProperties).toBe(false);
    }
  });

  test("are told shortly: 220 characters each, 16 KiB all together to who reads", async () => {
    const { control } = app.deps;
    const accountId = String((await app.get("/account")).id);
    const scopes = [
      "account:read",
      "projects:read",
      "analytics:read",
      "live:read",
      "experiments:read",
    ] as const;
    const { accessToken } = control.agents.addSession(
      { accountId, scopes, clientType: "mcp" },
      noonMs,
    );
    const reading = { authorization: `Bearer ${accessToken}` };
    const { tools: shown } = (await resultOf(app, "tools/list", {}, reading)) as { tools: Shown[] };
    expect(shown.every(({ description }) => description.length <= 220)).toBe(true);
    expect(shown.every(({ annotations }) => annotations.readOnlyHint)).toBe(true);
    const short = shown.map(({ outputSchema: _, ...rest }) => rest);
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

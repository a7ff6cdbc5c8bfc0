import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import openapiTS from "openapi-typescript";
import { type TestApp, testApp } from "../support/app/app";
import { documentOf } from "../support/app/openapi";
import { pathFromRoot } from "../support/suite/sources";

/** A program as a user writes it on the generated types. A line that must not compile says so. */
const program = `import type { components, paths } from "./client";

type Body<Sent> = Sent extends { requestBody: { content: { "application/json": infer Body } } } ? Body : never;
type Answer<Asked extends { responses: object }, Status extends keyof Asked["responses"]> =
  Asked["responses"][Status] extends { content: { "application/json": infer Body } } ? Body : never;

type Stats = paths["/stats"]["get"];
export const asked: Stats["parameters"]["query"] = { project: "shop", since: "7d", groupBy: "week" };
// @ts-expect-error: there is no such bucket.
export const askedWrongly: Stats["parameters"]["query"] = { project: "shop", groupBy: "year" };
// @ts-expect-error: the project is missing.
export const askedOfNobody: Stats["parameters"]["query"] = { since: "7d" };
export function visitors(stats: Answer<Stats, 200>): readonly (readonly [string, number])[] {
  const rate: number = stats.sessions.bounce_rate;
  // @ts-expect-error: the answer has no such field.
  stats.visits;
  return [["", rate], ...stats.timeSeries.map((one) => [one.bucket, one.unique_users] as const)];
}

type Query = paths["/query"]["post"];
export const question: Body<Query> = {
  project: "shop",
  metrics: ["event_count", "unique_users"],
  group_by: ["session.country"],
  filters: [{ field: "properties.plan", op: "eq", value: "team" }],
};
// @ts-expect-error: there is no such field.
export const wrongQuestion: Body<Query> = { project: "shop", metric: ["event_count"] };
export const cells = (answer: Answer<Query, 200>) =>
  "rows" in answer ? answer.rows.flatMap((row) => Object.entries(row)) : [];

type Track = paths["/track"]["post"];
export const event: Body<Track> = {
  token: "aat_1",
  event: "signup",
  user_id: "u1",
  properties: { plan: "team", seats: 3, tags: ["a"], nested: { deep: true } },
};
// @ts-expect-error: an event has a name.
export const nameless: Body<Track> = { token: "aat_1" };
export const isStored = (answer: Answer<Track, 202>): boolean => answer.queued;

type Refusal = Answer<Stats, "default">;
export const same: Refusal extends components["schemas"]["Error"] ? true : false = true;
export function adviceOn(refusal: Refusal): string {
  switch (refusal.error) {
    case "RATE_LIMITED":
      return \`Wait \${(refusal.retry_after_seconds ?? 60).toFixed()} seconds.\`;
    case "INVALID_FILTER_FIELD":
      return [refusal.suggested_field, ...(refusal.available_properties?.property_keys ?? [])].join();
    case "INVALID_FILTER_OP":
      return refusal.suggested_item?.op ?? "";
    // @ts-expect-error: there is no such code.
    case "NO_SUCH_CODE":
      return "";
    default:
      return refusal.message;
  }
}
`;
const options = {
  compilerOptions: {
    ...{ strict: true, exactOptionalPropertyTypes: true, noEmit: true, types: [] },
    ...{ target: "esnext", module: "esnext", moduleResolution: "bundler", lib: ["esnext"] },
  },
};

let app: TestApp;
let folder: string;
let client: string;
beforeAll(async () => {
  app = await testApp();
  folder = mkdtempSync(join(tmpdir(), "sightline-client-"));
  client = await openapiTS(JSON.parse((await documentOf(app)).text));
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await app.close();
});

describe("a client that is generated from /openapi.json", () => {
  test("has types for what is sent, what is answered and what is refused", () => {
    writeFileSync(join(folder, "client.ts"), client);
    writeFileSync(join(folder, "program.ts"), program);
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(options));
    const compiler = pathFromRoot("node_modules/.bin/tsc");
    const { stdout } = Bun.spawnSync([compiler, "-p", folder]);
    expect(stdout.toString()).toBe("");
  });

  test("has no object without fields, but for those that are empty and what generators always write", () => {
    const empty = client.split("\n").filter((line) => line.includes("Record<string, never>"));
    expect(empty.map((line) => line.trim())).toEqual([
      "export type webhooks = Record<string, never>;",
      "export type $defs = Record<string, never>;",
      "export type external = Record<string, never>;",
      // The leaves of a tree of paths have no children, and a revocation answers with nothing.
      "children: Record<string, never>[];",
      '"application/json": Record<string, never>;',
    ]);
  });
});

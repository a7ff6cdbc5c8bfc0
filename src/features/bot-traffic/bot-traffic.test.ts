import { afterEach, beforeEach, expect, test } from "bun:test";
import { Engine } from "../../../test/support/engine/engine";
import { lastDays, noonMs, projectId } from "../../../test/support/engine/examples";
import { accountBotTrafficRead, botTrafficRead } from "./read";

let engine: Engine;
beforeEach(() => {
  engine = new Engine();
});
afterEach(() => engine.close());

type Counts = readonly [requests: number, droppedEvents: number, lastSeenAtMs: number];
const given = (actor: string, counts: Counts, project = projectId) =>
  engine.append([
    {
      ...{ kind: "automated", projectId: project, date: "2026-01-14", category: "generic_bot" },
      ...{ actor, requests: counts[0], droppedEvents: counts[1], lastSeenAtMs: counts[2] },
    },
  ]);
const asked = { label: "7d", current: lastDays, previous: lastDays } as const;
const row = (
  operator: string,
  [requests, dropped_events, last_seen_at]: Counts,
  share: number,
) => ({
  ...{ operator, requests, dropped_events, share_pct: share, last_seen_at },
});

test("operators sum their actors; names that nobody is known for are in none", async () => {
  given("GPTBot", [3, 4, noonMs]);
  given("ChatGPT-User", [2, 1, noonMs + 5]);
  given("ClaudeBot", [5, 5, noonMs + 1]);
  given("Googlebot", [5, 6, noonMs + 2]);
  given("curl", [20, 0, noonMs + 9]);
  given("gptbot", [5, 0, noonMs + 9]);
  const answer = await engine.read(botTrafficRead, { ...asked, projectId, limit: 50 });
  expect(answer.operators).toEqual([
    row("Google", [5, 6, noonMs + 2], 12.5),
    // Ties go by name.
    row("Anthropic", [5, 5, noonMs + 1], 12.5),
    row("OpenAI", [5, 5, noonMs + 5], 12.5),
  ]);
  expect(answer.actors.map(({ actor, operator }) => `${actor}: ${operator}`)).toEqual([
    ...["curl: null", "Googlebot: Google", "ClaudeBot: Anthropic", "gptbot: null"],
    ...["GPTBot: OpenAI", "ChatGPT-User: OpenAI"],
  ]);
  const cut = await engine.read(botTrafficRead, { ...asked, projectId, limit: 1 });
  expect([cut.operators, cut.actors.length]).toEqual([
    [row("Google", [5, 6, noonMs + 2], 12.5)],
    1,
  ]);
});

test("of an account they are summed over its projects", async () => {
  const projects = [
    { id: projectId, name: "shop" },
    { id: "proj_example000000002", name: "blog" },
  ];
  given("GPTBot", [3, 4, noonMs]);
  given("GPTBot", [2, 2, noonMs - 1], "proj_example000000002");
  given("GPTBot", [9, 9, noonMs], "proj_example000000003");
  const answer = await engine.read(accountBotTrafficRead, { ...asked, projects, limit: 10 });
  expect(answer.operators).toEqual([row("OpenAI", [5, 6, noonMs], 100)]);
  expect(answer.actors).toEqual([
    {
      ...{ actor: "GPTBot", operator: "OpenAI", category: "generic_bot" },
      ...{ requests: 5, dropped_events: 6, last_seen_at: noonMs },
    },
  ]);
});

import { read } from "../support/server/account";
import { Connection } from "../support/server/connection";
import { ask } from "../support/server/server";
import { type Figures, median } from "./figures";
import type { Question, QuestionRequest } from "./questions";
import { askedAbout, milliseconds, startedAndCompiled, storeMs } from "./reads";
import { serve, type World } from "./world";

/**
 * What goals, conditions on sessions, fields of visitors and `once_per` cost over 90 days: warm, and at first. The
 * first row is what they are compared with.
 */

const section = "Goals and visitors over 90 days, ms: first / warm";
const days = 90;
const times = { first: 3, warming: 2, warm: 5 } as const;

type Targets = readonly [first: number, warm: number];

const rows: readonly (readonly [name: string, Targets | null, QuestionRequest])[] = [
  ["/stats by day", null, ["GET", `/stats?project=big&since=${days - 1}d`]],
  ["… of sessions that had a purchase", [500, 120], stats([{ session_did: "purchase" }])],
  ["/query of 10 goals", [1_500, 400], query({ goals: true })],
  [
    "/query per user.first_source",
    [900, 200],
    query({ metrics: ["event_count", "unique_users"], group_by: ["user.first_source"] }),
  ],
  [
    "/query once per order_id of purchases",
    [900, 300],
    query({ metrics: ["event_count", "sum:properties.amount"], once_per: "properties.order_id" }),
  ],
  [
    "/retention by week, per user.first_source",
    null,
    ["GET", "/retention?project=big&period=week&cohorts=12&breakdown=user.first_source"],
  ],
];

const value = { property: "amount", currency: "EUR" } as const;
const ofPlan = (plan: string) => [{ field: "properties.plan", op: "eq", value: plan }];
/** Ten that a shop with documents may have: of events, pages and plans, with money and without. */
const goals: readonly object[] = [
  { name: "Purchase", event: "purchase", value },
  { name: "Order", event: "purchase", value, once_per: "order_id" },
  { name: "Team plan", event: "purchase", value, filters: ofPlan("team") },
  { name: "Business plan", event: "purchase", value, filters: ofPlan("business") },
  { name: "Sign-up", event: "sign_up_started" },
  { name: "Free sign-up", event: "sign_up_started", filters: ofPlan("free") },
  { name: "Call to action", event: "cta_click" },
  { name: "Pricing read", page: "/docs/pricing/*" },
  { name: "Any guide", page: "/guides/*" },
  { name: "Privacy read", page: "/blog/privacy/*" },
];

export async function measureGoals(world: World, figures: Figures): Promise<void> {
  const server = await serve(world.dataDir);
  const asked = await askedAbout(server, world, world.big);
  const known = await read<{ goals: unknown[] }>(server.url, world.key, "/goals?project=big");
  if (known.goals.length === 0) {
    for (const goal of goals) {
      const body = { project: "big", ...goal };
      const made = await ask(server.url, "POST", "/goals", { "X-API-Key": world.key }, body);
      if (made.status !== 201) throw new Error(`a new goal answered ${made.status}: ${made.body}`);
    }
  }
  const warm = new Map<string, number>();
  const connection = await Connection.open(server.url);
  for (const [name, , request] of rows) {
    const took: number[] = [];
    for (let at = 0; at < times.warming + times.warm; at++) {
      const ms = await storeMs(connection, world, questionOf(name, request), asked, days);
      if (at >= times.warming) took.push(ms);
    }
    warm.set(name, median(took));
  }
  connection.close();
  await server.stop();
  for (const [name, targets, request] of rows) {
    const took: number[] = [];
    for (let at = 0; at < times.first; at++) {
      const restarted = await startedAndCompiled(world);
      const first = await Connection.open(restarted.url);
      took.push(await storeMs(first, world, questionOf(name, request), asked, days));
      first.close();
      await restarted.stop();
    }
    const found = [median(took), warm.get(name) ?? Number.NaN];
    const isMet = targets === null ? null : found.every((ms, at) => ms <= targets[at]);
    figures.add(section, name, found.map(milliseconds).join(" / "), targets?.join(" / "), isMet);
  }
}

const questionOf = (name: string, request: QuestionRequest): Question => ({
  ...{ name, targets: null },
  request: () => request,
});

function stats(filters: readonly object[]): QuestionRequest {
  const text = encodeURIComponent(JSON.stringify(filters));
  return ["GET", `/stats?project=big&since=${days - 1}d&filters=${text}`];
}

function query(body: object): QuestionRequest {
  return ["POST", "/query", { project: "big", date_from: `${days - 1}d`, ...body }];
}

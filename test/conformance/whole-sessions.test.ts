import { expect, test } from "bun:test";
import type { ObjectEvent } from "../../src/domain/event";
import { selectionOf } from "../../src/domain/metric";
import { goalOf } from "../../src/domain/sent-goal";
import { sessionFields } from "../../src/domain/session-field";
import type { QueryInput } from "../../src/features/query/question";
import { queryBatchRead, queryRead } from "../../src/features/query/read";
import { at, usualSizes } from "../support/engine/engine";
import { dayMs, lastDays, noonMs, projectId } from "../support/engine/examples";
import { filtersOf } from "../support/engine/filters";
import { noGoals } from "../support/engine/no-goals";
import { engineMsMax, everyMerge, onEach, openEngine } from "../support/engine/opened-engine";
import { type Random, randomFrom, randomSeed } from "../support/random/random";
import { randomSource } from "../support/random/random-sources";

/** What is counted of whole sessions alone, against the same beside a count of events, which looks at every visit. */

const metrics = [
  ...(["session_count", "bounce_rate", "avg_duration", "conversions", "conversion_rate"] as const),
];

function randomEvent({ below, chance, pick }: Random, source: object): ObjectEvent {
  return {
    eventId: null,
    name: pick(["page_view", "buy", "look"]),
    timeMs: noonMs - 3 * dayMs + below(3 * 24 * 60) * 60_000,
    userId: pick(["ann", "bob", "cy", null]),
    sessionId: chance(0.85) ? `s${below(40)}` : null,
    country: pick(["DE", "US", null]),
    properties: { path: pick(["/", "/a", "/b"]), ...source },
  };
}

const someFilters = [
  [],
  [{ field: "country", op: "eq", value: "DE" }],
  [{ field: "session.country", op: "neq", value: "US" }],
  [{ field: "event", op: "eq", value: "nothing" }],
  [{ field: "session_id", op: "is_null" }],
  [{ did: "buy" }],
  [{ session_did: "buy" }],
  [{ session_did_not: "buy" }],
  [{ any: [{ did_not: "buy" }, { field: "session.entry_page", op: "eq", value: "/a" }] }],
];

function randomQuestion({ below, pick }: Random, group_by: readonly string[]): QueryInput {
  const asked = { metrics, group_by: [...group_by], order_by: "session_count" };
  const from = lastDays.to - below(4);
  return {
    projectId,
    days: { from, to: lastDays.to - below(lastDays.to - from + 1) },
    selection: selectionOf({ ...asked, order: pick(["asc", "desc"]) }),
    filters: filtersOf(pick(someFilters)),
    goal: goalOf({ event: pick(["buy", "look"]) }, metrics, noGoals)!,
    limit: pick([2, 1_000]),
  };
}

/** The question with a number that is not of sessions. */
const withEvents = ({ selection, ...question }: QueryInput): QueryInput => ({
  ...question,
  selection: { ...selection, metrics: [...selection.metrics, "event_count"], countMode: "raw" },
});

const eventsAtOnce = 50;

test(
  "a query of sessions alone has the same numbers as one that also counts their events",
  async () => {
    const seed = randomSeed();
    const random = randomFrom(seed);
    const engine = await openEngine(usualSizes);
    const groups = [[], ...sessionFields.map((field) => [field]), ["date", "session.source"]];
    try {
      for (let round = 0; round < onEach(3, 1); round++) {
        const eventCount = random.pick([20, 300]);
        const events = Array.from({ length: eventCount }, () =>
          randomEvent(random, randomSource(random)),
        ).sort((a, b) => a.timeMs - b.timeMs);
        await at(noonMs, async () => {
          for (let from = 0; from < events.length; from += eventsAtOnce) {
            const some = events.slice(from, from + eventsAtOnce);
            await engine.append([
              { kind: "events", projectId, receivedAtMs: noonMs, events: some },
            ]);
          }
        });
        if (random.chance(0.5)) {
          await at(noonMs, async () => engine.compact(everyMerge));
        }
        const ofAllDates = { ...randomQuestion(random, []), days: lastDays, filters: [] };
        const questions = [ofAllDates, ...groups.map((group) => randomQuestion(random, group))];
        const together = await engine.read(queryBatchRead, { questions });
        for (const [index, question] of questions.entries()) {
          const { rows, groups_total } = await engine.read(queryRead, withEvents(question));
          const expected = rows.map(({ event_count: _, ...row }) => row);
          const alone = await engine.read(queryRead, question);
          expect([seed, question, alone.rows]).toEqual([seed, question, expected]);
          expect([seed, question, alone.groups_total]).toEqual([seed, question, groups_total]);
          expect([seed, question, together.results[index]]).toEqual([seed, question, alone]);
        }
      }
    } finally {
      await engine.close();
    }
  },
  engineMsMax,
);

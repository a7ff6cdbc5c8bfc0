import { expect, test } from "bun:test";
import type { ObjectEvent } from "../../src/domain/event";
import type { Condition } from "../../src/domain/filter";
import { selectionOf } from "../../src/domain/metric";
import { periodsUntil } from "../../src/domain/period";
import { visitorFields } from "../../src/domain/visitor-field";
import { queryRead } from "../../src/features/query/read";
import { retentionRead } from "../../src/features/retention/retention";
import { FilteredModel } from "../model/filtered";
import { fieldOf, Model } from "../model/model";
import { retention } from "../model/retention-answers";
import { date } from "../model/values";
import type { Answering } from "../support/engine/driven";
import { at, usualSizes } from "../support/engine/engine";
import { dayMs, lastDays, noonMs, projectId } from "../support/engine/examples";
import { engineMsMax, everyMerge, onEach, openEngine } from "../support/engine/opened-engine";
import { cases } from "../support/random/cases";
import { type Random, randomFrom } from "../support/random/random";
import { randomSource } from "../support/random/random-sources";

/**
 * Each field of visitors against the model, in a zone whose dates are not those of segments: visitors come back after
 * weeks, so that their first sessions lie outside of the read; their ids are linked and unlinked; older events arrive.
 */
const days = { ...lastDays, zone: "America/Santiago" };
/** Segments of one date each stay as they are. */
const sizes = { ...usualSizes, columnEventsMin: 2, mergeEventsMax: 2, settledEventsMin: 1 };
const retentionsAsked = onEach(8, 3);
const users = ["ann", "bob", "cy", "dan", "eve"];

/** An event of a date. Sessions of a user mostly stay with the user; several begin at the same time. */
function randomEvent(random: Random, daysAgo: number): ObjectEvent {
  const { below, chance, pick } = random;
  const user = pick([...users, null]);
  return {
    eventId: null,
    name: pick(["page_view", "buy"]),
    timeMs: noonMs - daysAgo * dayMs - pick([0, 0, below(dayMs / 2)]),
    userId: user,
    sessionId: chance(0.85)
      ? `${chance(0.9) ? user : "all"} ${pick([daysAgo, 0])} ${below(3)}`
      : null,
    country: pick(["DE", "US", null]),
    properties: { path: pick(["/", "/a", ""]), ...randomSource(random) },
  };
}

async function check(engine: Answering, model: Model) {
  const shown = model.events(days);
  for (const field of visitorFields) {
    const counted = (by: (event: (typeof shown)[number]) => string): Record<string, number> => {
      const counts: Record<string, number> = {};
      for (const event of shown) counts[by(event)] = (counts[by(event)] ?? 0) + 1;
      return counts;
    };
    const query = async (group_by: string[], filters: Condition[]) => {
      const selection = selectionOf({ group_by, count_mode: "raw" });
      const asked = { projectId, days, selection, filters, limit: 1_000 };
      const { rows } = await engine.read(queryRead, asked);
      return Object.fromEntries(
        rows.map((row) => [group_by.map((name) => row[name]).join(), Number(row.event_count)]),
      );
    };
    const valueIn = (event: (typeof shown)[number]) => fieldOf(event, field, days.zone);
    const byDate = counted((event) => `${date(event.timeMs, days.zone)},${valueIn(event) ?? ""}`);
    expect([field, await query(["date", field], [])]).toEqual([field, byDate]);
    for (const [value, count] of Object.entries(counted((event) => valueIn(event) ?? ""))) {
      const condition: Condition =
        value === "" ? { field, op: "is_null", value: "" } : { field, op: "eq", value };
      expect([field, value, await query([], [condition])]).toEqual([field, value, { "": count }]);
    }
  }
}

const fieldsOfAppearances = ["country", ...visitorFields] as const;

/** Those who appeared on each of the last dates, by a field of their first appearance. */
async function checkRetention(engine: Answering, model: Model, { chance, pick }: Random) {
  const periods = periodsUntil(days, "day", 28);
  const event = pick([null, "buy", "page_view"]);
  const asked = { period: "day", periods, event, returningEvent: pick([null, "buy"]) } as const;
  const item: Condition = { field: "event", op: "eq", value: pick(["buy", "page_view"]) };
  const filters = chance(0.3) ? [item] : [];
  const seen = filters.length === 0 ? model : new FilteredModel(model, filters, days);
  const breakdown = { field: pick(fieldsOfAppearances), limit: pick([1, 3, 20]) };
  const answer = await engine.read(retentionRead, {
    ...{ projectId, ...asked, filters, days: { from: days.to, to: days.to } },
    breakdown: { ...breakdown, zone: days.zone, beganAtMs: 0 },
  });
  const wanted = retention(seen, { ...asked, breakdown, today: days.to });
  expect([asked, filters, breakdown, answer]).toEqual([asked, filters, breakdown, wanted]);
}

test.each(onEach(cases([1, 2], [1, 2, 3, 4, 5, 6]), [1]))(
  "a visitor has the values of the earliest stored session (seed %d)",
  async (seed) => {
    const random = randomFrom(seed);
    const { chance, pick } = random;
    const engine = await openEngine(sizes);
    const model = new Model();
    const apply = (mutation: Parameters<typeof engine.append>[0][number]) =>
      at(noonMs, async () => engine.append([mutation]));
    try {
      for (const daysAgo of onEach([3, 20, 1, 0, 9, 4, 25, 0], [2, 20])) {
        const events = Array.from({ length: 25 }, () => randomEvent(random, daysAgo));
        await apply({ kind: "events", projectId, receivedAtMs: noonMs, events });
        for (const { userId: user, sessionId: session, ...event } of events) {
          model.add({ ...event, user, session }, noonMs);
        }
        if (chance(0.6)) await at(noonMs, async () => engine.compact(everyMerge));
        await check(engine, model);
        for (let n = 0; n < retentionsAsked; n++) await checkRetention(engine, model, random);
        const [previousId, userId] = [pick(users), pick(users)];
        if (previousId === userId) continue;
        const told = { projectId, receivedAtMs: noonMs, previousId, userId, traits: null };
        await apply({ kind: "identity", ...told });
        model.identify(previousId, userId);
        await check(engine, model);
        for (let n = 0; n < retentionsAsked; n++) await checkRetention(engine, model, random);
      }
    } finally {
      await engine.close();
    }
  },
  engineMsMax,
);

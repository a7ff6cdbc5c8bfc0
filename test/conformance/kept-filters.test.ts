import { expect, test } from "bun:test";
import { engineMsMax, isRefused, onEach, openEngine } from "../support/engine/opened-engine";
import { cases } from "../support/random/cases";
import { randomFrom } from "../support/random/random";
import { randomCondition } from "../support/random/random-conditions";
import { type Cast, usualToday } from "../support/world/cast";
import { type History, randomHistory, type Step } from "../support/world/history";
import { play } from "../support/world/play";
import { type Question, randomQuestions } from "../support/world/questions";

/**
 * A reader thread caches the rows that pass filters (cache-name.ts). This suite repeats a few questions while the
 * store takes in, merges and removes events and links users. Some filters are on stored values, whose rows the cache
 * holds; others are on users and sessions, whose rows it does not hold.
 */
const eventsMax = 300;
/** With less memory hardly anything would be kept until it is asked again. */
const cacheBytes = 1 << 28;
const questionsAsked = 5;
const changesBetween = 2;
/** A funnel's steps have filters of their own, which are kept too. */
const askedInTurn = ["stats", "query", "funnel"];
/** Midnights there cut segments, of which parts are counted. */
const zone = "America/St_Johns";

test.each(onEach(cases([3, 5], [1, 2, 3, 4, 5, 6, 7, 8]), [5]))(
  "filters that are asked again agree with the model (seed %d)",
  async (seed) => {
    const random = randomFrom(seed);
    const { sizes, steps } = randomHistory(random, eventsMax);
    const changes = steps.filter(({ kind }) => kind !== "ask" && kind !== "interrupted");
    const events = changes.flatMap((step) => (step.kind === "commit" ? step.events : []));
    const users = [...new Set(events.flatMap(({ userId }) => userId ?? []))];
    const names = [...new Set(events.map(({ name }) => name))];
    const cast = { users, names, sessions: ["s1"], keys: ["path"] };
    const asked = Array.from({ length: questionsAsked }, (_, at): Question => {
      const own = { ...cast, today: usualToday, ...(at % 2 === 1 && { zone }) };
      const filters = [filterAt(at, cast) ?? randomCondition(random, own)];
      const questions = Array.from({ length: 60 }, () => randomQuestions(random, own, 1)).flat();
      const wanted = questions.filter(
        (one) => one.ask === askedInTurn[at % askedInTurn.length] && !isRefused(one),
      );
      const days = { from: usualToday - 30, to: usualToday, ...(at % 2 === 1 && { zone }) };
      return { ...random.pick(wanted), days, filters };
    });
    const all = changes.flatMap((step, at): Step[] => {
      if (at % changesBetween !== 0 && at !== changes.length - 1) return [step];
      const { nowMs } = step;
      return [step, ...asked.map((question): Step => ({ kind: "ask", nowMs, question }))];
    });
    const history: History = { sizes: { ...sizes, cacheBytes }, steps: all };
    const asks = all.filter(({ kind }) => kind === "ask").length;
    expect(asks).toBeGreaterThan(questionsAsked);
    expect(await play(history, openEngine)).toBe(asks);
  },
  engineMsMax,
);

/** Draws a filter on stored values, on fields that later events of a session change, or on users who may be linked. */
const filterAt = (at: number, { names, users }: Pick<Cast, "names" | "users">) =>
  [
    { field: "event", op: "in", value: names.slice(1) } as const,
    { field: "properties.path", op: "not_null", value: "" } as const,
    { field: "session.exit_page", op: "neq", value: "/" } as const,
    { field: "user_id", op: "in", value: users.slice(0, users.length / 2) } as const,
  ][at];

import { expect, test } from "bun:test";
import type { ObjectEvent } from "../../src/domain/event";
import { ReadCancelled } from "../../src/store/protocol/failure";
import { at, Engine, type Sizes, usualSizes } from "../support/engine/engine";
import { dayMs, lastDays, noonMs, projectId } from "../support/engine/examples";
import { inParts, storeInSegments } from "../support/engine/in-parts";
import { cases } from "../support/random/cases";
import { type Random, randomFrom, randomSeed } from "../support/random/random";
import { funnelNumbers } from "../support/world/funnel-numbers";
import type { Question } from "../support/world/questions";

/** A funnel that several threads count in parts of its window, against the same of one thread. */

type Funnel = Extract<Question, { ask: "funnel" }>;

const names = ["look", "page_view", "buy"];
const dates = 6;
const minuteMs = 60_000;
const zones = ["America/New_York", "Asia/Kathmandu", "Pacific/Auckland"];

/** Sessions of any times, and half of the events in sessions of one visit each, which goes on over a midnight. */
function randomEvent({ below, chance, pick }: Random): ObjectEvent {
  const night = chance(0.5) ? below(60) : null;
  const midnightMs = noonMs - (noonMs % dayMs) - ((night ?? 0) % (dates - 1)) * dayMs;
  return {
    ...{ eventId: null, name: pick(names) },
    timeMs:
      night === null
        ? noonMs - below(dates * 24) * 60 * minuteMs
        : midnightMs + (below(21) - 10) * minuteMs,
    userId: night === null && chance(0.1) ? null : `user ${night ?? below(20)}`,
    sessionId: night !== null ? `night ${night}` : chance(0.9) ? `session ${below(60)}` : null,
    country: pick(["DE", "US", null]),
    properties: { path: `/${below(9)}`, plan: pick(["team", "free"]) },
  };
}

const filters = [
  [],
  [{ field: "country", op: "eq", value: "DE" }],
  [{ field: "session.country", op: "neq", value: "US" }],
  [
    {
      any: [
        { field: "properties.plan", op: "eq", value: "team" },
        { field: "country", op: "is_null", value: "" },
      ],
    },
  ],
] as const;

function randomFunnel({ below, chance, pick }: Random): Funnel {
  const from = lastDays.to - dates + 1 + below(2);
  const step = () => ({
    event: pick(names),
    filters: [
      ...pick<Funnel["funnel"]["steps"][number]["filters"]>([
        [],
        [{ field: "properties.plan", op: "eq", value: "team" }],
      ]),
    ],
  });
  return {
    ask: "funnel",
    days: { from, to: lastDays.to - below(2), ...(chance(0.5) && { zone: pick(zones) }) },
    filters: chance(0.5) ? [] : [...pick(filters)],
    funnel: {
      steps: Array.from({ length: 2 + below(3) }, step),
      countBy: pick(["user_id", "session_id"]),
      windowMs: pick([minuteMs, 60 * minuteMs, 2 * dayMs, 30 * dayMs]),
      breakdown: pick([null, null, "country", "properties.path"]),
    },
  } as Funnel;
}

const expectCancelled = (error: unknown): void => expect(error).toBeInstanceOf(ReadCancelled);

const ways = [
  ["two", { ...inParts, helpers: 1 }],
  ["four", { ...inParts, helpers: 3 }],
  ["four, of few groups,", { ...inParts, helpers: 3, toldGroupsMax: 5 }],
  ["two, of which one is lost now and then,", { ...inParts, helpers: 1, asksPerDeath: 7 }],
] as const;

test.each(ways)("a funnel of %s threads is that of one", async (_, sizes) => {
  const seed = randomSeed();
  const random = randomFrom(seed);
  for (let round = 0; round < 2; round++) {
    const [parted, alone] = [new Engine(sizes), new Engine(usualSizes)];
    try {
      // Some come late, so that the times of segments overlap.
      const late = Array.from({ length: 40 }, () => randomEvent(random));
      const inTime = Array.from({ length: 260 }, () => randomEvent(random));
      const events = [...inTime.sort((a, b) => a.timeMs - b.timeMs), ...late];
      await storeInSegments([parted, alone], events);
      for (let question = 0; question < 25; question++) {
        const funnel = randomFunnel(random);
        // One that is given up in the midst of a step leaves nothing to the next one.
        let looks = random.below(400);
        parted.isCancelled = () => --looks === 0;
        await funnelNumbers(randomFunnel(random), parted, projectId).catch(expectCancelled);
        parted.isCancelled = () => false;
        const expected = await funnelNumbers(funnel, alone, projectId);
        expect([seed, funnel, await funnelNumbers(funnel, parted, projectId)]).toEqual([
          seed,
          funnel,
          expected,
        ]);
      }
      expect(parted.partsAnswered).toBeGreaterThan(25);
    } finally {
      await parted.close();
      await alone.close();
    }
  }
});

const ofHelpers = [1, 3] as const;

/** Users and sessions of steps that follow each other, of each date: most are on older dates alone. */
async function largeStore(usersOfDates: readonly (readonly number[])[]): Promise<Engine> {
  const engine = new Engine();
  await at(noonMs, async () => {
    for (const [date, users] of usersOfDates.entries()) {
      const events = users.flatMap((user) =>
        names.map((name, index) => ({
          ...{ eventId: null, name, timeMs: noonMs - date * dayMs + index - minuteMs },
          ...{ userId: `user ${user}`, sessionId: `session ${user} of ${date}` },
          country: ["DE", "US", null][(user + date) % 3],
          properties: {},
        })),
      );
      engine.append([{ kind: "events", projectId, receivedAtMs: noonMs, events }]);
    }
    engine.compact();
  });
  return engine;
}
const asked = (countBy: "user_id" | "session_id", breakdown: "country" | null): Funnel => ({
  ask: "funnel",
  days: { from: lastDays.to - dates + 1, to: lastDays.to },
  funnel: {
    steps: names.map((event) => ({ event, filters: [] })),
    ...{ countBy, windowMs: 30 * dayMs, breakdown },
  },
});

test.each(ofHelpers)(
  "older parts may have the largest numbers of users: %d helpers",
  async (helpers) => {
    const older = Array.from({ length: 40 }, (_, user) => 100 + user);
    const alone = await largeStore([[1, 2], [1, 3, ...older.slice(0, 5)], [2, 3, 4], older]);
    const parted = new Engine({ ...inParts, helpers }, alone);
    for (const breakdown of [null, "country"] as const) {
      const funnel = asked("user_id", breakdown);
      const expected = await funnelNumbers(funnel, alone, projectId);
      expect(await funnelNumbers(funnel, parted, projectId)).toEqual(expected);
    }
    expect(parted.partsAnswered).toBe(2 * (1 + names.length) * helpers);
    await parted.close();
    await alone.close();
  },
);

test.each(ofHelpers)(
  "memory that suffices for the whole suffices in parts: %d helpers",
  async (helpers) => {
    const users = Array.from({ length: cases(1_000, 5_000) }, (_, user) => user);
    const alone = await largeStore([users, users, users, users]);
    for (const countBy of ["user_id", "session_id"] as const) {
      const funnel = asked(countBy, null);
      const answerWith = async (sizes: Sizes): Promise<unknown> => {
        const engine = new Engine(sizes, alone);
        try {
          return await funnelNumbers(funnel, engine, projectId);
        } catch (error) {
          expect(error).toMatchObject({ code: "QUERY_FAILED" });
          return null;
        } finally {
          await engine.close();
        }
      };
      let questionBytesMax = cases(10_000, 50_000);
      for (;;) {
        const whole = await answerWith({ ...usualSizes, questionBytesMax });
        const inAll = await answerWith({ ...inParts, helpers, questionBytesMax });
        if (whole !== null) {
          expect(inAll).toEqual(whole);
          break;
        }
        questionBytesMax += cases(8_000, 40_000);
      }
    }
    await alone.close();
  },
);

test("a funnel whose parts took too much memory is counted by one thread, and in parts no more", async () => {
  const users = Array.from({ length: cases(500, 2_000) }, (_, user) => user);
  const alone = await largeStore([users, users, users, users]);
  const funnel = asked("user_id", null);
  const expected = await funnelNumbers(funnel, alone, projectId);
  const engineWith = (questionBytesMax: number) =>
    new Engine({ ...inParts, helpers: 1, questionBytesMax }, alone);
  // With the least that suffices for the whole, the parts take more than there is.
  const stepBytes = cases(500, 2_000);
  let questionBytesMax = 5 * stepBytes;
  for (; ; questionBytesMax += stepBytes) {
    const whole = new Engine({ ...usualSizes, questionBytesMax }, alone);
    const answer = await funnelNumbers(funnel, whole, projectId).catch(() => null);
    await whole.close();
    if (answer !== null) break;
  }
  const parted = engineWith(questionBytesMax);
  expect(await funnelNumbers(funnel, parted, projectId)).toEqual(expected);
  const answered = parted.partsAnswered;
  expect(answered).toBeGreaterThan(0);
  expect(await funnelNumbers(funnel, parted, projectId)).toEqual(expected);
  expect(parted.partsAnswered).toBe(answered);
  await parted.close();
  await alone.close();
});

test("what has too many groups to be told is counted by one thread, and in parts no more", async () => {
  const alone = await largeStore([
    [1, 2, 3],
    [1, 2, 4],
    [3, 5],
  ]);
  const parted = new Engine({ ...inParts, helpers: 1, toldGroupsMax: 2 }, alone);
  const answeredBy = async (funnel: Funnel): Promise<number> => {
    const before = parted.partsAnswered;
    const expected = await funnelNumbers(funnel, alone, projectId);
    expect(await funnelNumbers(funnel, parted, projectId)).toEqual(expected);
    return parted.partsAnswered - before;
  };
  expect(await answeredBy(asked("user_id", "country"))).toBe(2);
  expect(await answeredBy(asked("user_id", "country"))).toBe(0);
  expect(await answeredBy(asked("user_id", null))).toBe(1 + names.length);
  await parted.close();
  await alone.close();
});

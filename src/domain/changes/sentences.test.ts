import { describe, expect, test } from "bun:test";
import { type SentenceFacts, sentencesOf } from "./sentences";

const driver = (dimension: string, value: string | null, delta: number, share_pct = 20) => ({
  ...{ dimension, value, delta, share_pct },
});
const quiet = {
  ...{ before: "the week before", isCompared: true, goals: [], annotations: [], alerts: 0 },
  visitors: { current: 1_139, previous: 1_280 },
  changes: {
    ...{ current: 12_000, previous: 11_650, verdict: "noise", isSignificant: false },
    ...{ drivers: [], needs: null, counted: "Events" },
  },
} as const satisfies SentenceFacts;
const textsOf = (facts: Partial<SentenceFacts>): readonly string[] =>
  sentencesOf({ ...quiet, ...facts }, (text) => `<${text}>`).map(({ text }) => text);
type Changes = NonNullable<SentenceFacts["changes"]>;
const changesOf = (changes: Partial<Changes>) =>
  textsOf({ changes: { ...quiet.changes, ...changes } }).slice(1);

describe("visitors", () => {
  const visitors = (current: number, previous: number) =>
    textsOf({ visitors: { current, previous } })[0];

  test("are compared in percent, and in numbers where these are small", () => {
    expect(visitors(1_139, 1_280)).toBe("1,139 visitors, 11 % fewer than the week before.");
    expect(visitors(11, 10)).toBe("11 visitors, 10 % more than the week before.");
    expect(visitors(11, 9)).toBe("11 visitors, 2 more than the week before.");
    expect(visitors(9, 11)).toBe("9 visitors, 2 fewer than the week before.");
    expect(visitors(10_001, 10_000)).toBe("10,001 visitors, 1 more than the week before.");
    expect(visitors(1, 1)).toBe("1 visitor, as many as the week before.");
    expect(visitors(0, 5)).toBe("No visitors, 5 fewer than the week before.");
    expect(visitors(0, 0)).toBe("No visitors, as in the week before.");
  });

  test("are compared with nothing that is not stored whole", () => {
    expect(textsOf({ isCompared: false })).toEqual([
      "1,139 visitors. The week before is not stored whole, so nothing is compared with it.",
    ]);
  });
});

describe("the change", () => {
  const fall = { current: 800, previous: 1_000 };

  test("is told with what the verdict carries, and no more", () => {
    const usual = "Events rose from 11,650 to 12,000 (+3 %), no more than they usually vary.";
    expect(changesOf({})).toEqual([usual]);
    expect(changesOf({ current: 7, previous: 7 })[0]).toStartWith("Events stayed at 7, ");
    expect(changesOf({ ...fall, verdict: "broad", isSignificant: true })).toEqual([
      "Events fell from 1,000 to 800 (−20 %), more than they usually vary, and no single part stands out.",
    ]);
    const needs = { dates: 28, have: 12 };
    expect(changesOf({ verdict: "too_little_history", needs })).toEqual([
      "Too few dates are stored to say which changes are unusual. There are 12 of 28 dates.",
    ]);
    expect(changesOf({ within: "in its last 30 days" })[0]).toContain(
      "(+3 %) in its last 30 days,",
    );
  });

  test("names the parts that explain it, one where it is nearly all", () => {
    const specific = { ...fall, verdict: "specific", isSignificant: true } as const;
    const nearlyAll = [driver("country", "AT", -179, 90), driver("page", "/", -20)];
    expect(changesOf({ ...specific, drivers: nearlyAll })).toEqual([
      "Events fell from 1,000 to 800 (−20 %), more than they usually vary.",
      "Nearly all of it is <Austria> (−179 of −200).",
    ]);
    const several = [
      ...[driver("event", "pay", -90, 89), driver("source", null, 30), driver("device", "tv", -2)],
      driver("os", "x", 1),
    ];
    expect(changesOf({ ...specific, drivers: several })[1]).toBe(
      "The parts that changed most: the event <pay> (−90), no source (+30) and the device <tv> (−2).",
    );
    const hidden = {
      ...specific,
      isSignificant: false,
      drivers: [driver("properties.plan", "a", 9)],
    };
    expect(changesOf(hidden)).toEqual([
      "Events fell from 1,000 to 800 (−20 %), no more than they usually vary, but some parts changed more than usual.",
      "The part that changed most: the <plan> <a> (+9).",
    ]);
  });
});

describe("the change of the same visitors", () => {
  const same = {
    ...({ counted: "Visitors", isOfVisitors: true, current: 1_139, previous: 1_280 } as const),
  };

  test("says only how much visitors usually vary", () => {
    expect(changesOf(same)).toEqual(["Visitors usually vary as much."]);
    expect(changesOf({ ...same, current: 1_280 })).toEqual([]);
    const some = { ...same, verdict: "specific", drivers: [driver("country", "AT", 3)] } as const;
    expect(changesOf(some)[0]).toBe(
      "Visitors usually vary as much, but some parts changed more than usual.",
    );
    expect(changesOf({ ...some, isSignificant: true })[0]).toBe("Visitors usually vary less.");
    expect(changesOf({ ...same, verdict: "broad", isSignificant: true })).toEqual([
      "Visitors usually vary less, and no single part stands out.",
    ]);
  });

  test("is nearly all of one part only where a visitor is in one part", () => {
    const told = (dimension: string, delta: number) =>
      changesOf({
        ...{ ...same, verdict: "specific", isSignificant: true },
        drivers: [{ dimension, value: "AT", delta, share_pct: null }],
      })[1];
    expect(told("country", -130)).toBe("Nearly all of it is <Austria> (−130 of −141).");
    expect(told("country", -126)).toBe("The part that changed most: <Austria> (−126).");
    expect(told("country", -142)).toBe("The part that changed most: <Austria> (−142).");
    expect(told("country", 130)).toBe("The part that changed most: <Austria> (+130).");
    expect(told("page", -141)).toBe("The part that changed most: the page <AT> (−141).");
  });

  test("with other dates has its own numbers, and no sentence before the answer", () => {
    expect(changesOf({ ...same, isOfVisitors: false, within: "in the 7 days to Nov 25" })).toEqual([
      "Visitors fell from 1,280 to 1,139 (−11 %) in the 7 days to Nov 25, no more than they usually vary.",
    ]);
    expect(textsOf({ changes: null })).toHaveLength(1);
  });
});

test("a sentence has the values and goals that it names", () => {
  const order = { event: "Order", id: "goal_1", current: 20, previous: 10 };
  const drivers = [driver("country", "AT", -9), driver("page", "/", -8)];
  const sentences = sentencesOf(
    { ...quiet, goals: [order], changes: { ...quiet.changes, drivers } },
    (text) => text,
  );
  for (const { text, phrases } of sentences) {
    expect(phrases.map((phrase) => phrase.text).join("")).toBe(text);
  }
  const named = sentences.flatMap(({ phrases }) => phrases).filter((one) => one.driver ?? one.goal);
  expect(named).toEqual([
    { text: "Austria", driver: drivers[0] },
    { text: "the page /", driver: drivers[1] },
    { text: "Order", goal: order },
  ]);
});

test("goals begin with the one that changed most; those that nobody reached are left out", () => {
  const goals = [
    ...[
      { event: "a", current: 20, previous: 19 },
      { event: "b", current: 105, previous: 100 },
    ],
    { event: "c", current: 0, previous: 0 },
  ];
  expect(textsOf({ goals }).at(-1)).toBe(
    "<b> was reached in 105 sessions, 5 % more than the week before; <a> was reached in 20 sessions, 5 % more than " +
      "before.",
  );
  expect(textsOf({ goals: goals.slice(2) })).toHaveLength(2);
});

test("notes and alerts come last", () => {
  const noted = ["one", "two", "three", "four"].map((title) => ({ date: "2026-01-08", title }));
  expect(textsOf({ annotations: noted.slice(0, 1), alerts: 1 }).at(-1)).toBe(
    'Your notes of these days: "<one>" (2026-01-08). 1 alert fired.',
  );
  expect(textsOf({ annotations: noted }).at(-1)).toEndWith('"<three>" (2026-01-08) and 1 more.');
});

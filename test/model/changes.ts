import { type Thing, thingsOf } from "./changed-things";
import { clockAt } from "./clocks";
import type { ModelItem } from "./filtered";
import type { ModelGoal } from "./goals";
import { isOn, type Model, type ModelDays } from "./model";
import { plainSum, studentOrNormal } from "./tails";
import { byCodePoints, byLabel, date, dayMs, distinct, grouped, rounded, sum } from "./values";

/** GET /changes as loops over an array: definitions.md, What changed, word by word. */
export interface ChangesQuestion {
  readonly metric: "events" | "sessions" | "users" | "conversion";
  readonly goal: ModelGoal | null;
  readonly dimensions: readonly string[];
  readonly limit: number;
  readonly current: ModelDays;
  readonly filters: readonly ModelItem[];
}

const testedMin = 20;
const keptMax = 100;

export function changes(whole: Model, question: ChangesQuestion) {
  const { metric, goal, dimensions, limit, current } = question;
  const { zone } = current;
  const length = current.to - current.from + 1;
  const shift = 7 * Math.ceil(length / 7);
  const previous = { from: current.from - shift, to: current.to - shift, zone };
  const keptFrom = firstDate(whole, zone);
  const reference = { from: Math.max(current.from - 56, keptFrom), to: current.from - 1, zone };
  const dates = Math.max(0, reference.to - reference.from + 1);
  const all = { from: Math.min(previous.from, reference.from), to: current.to, zone };
  const things = thingsOf(whole, question, all);
  const on = (days: ModelDays) => things.filter(({ timeMs }) => isOn(timeMs, days));
  const total = { c: on(current), p: on(previous), r: dates === 0 ? [] : on(reference) };

  const measures = measuresOf(metric, (list) =>
    Array.from({ length: dates }, (_, at) =>
      list.filter(({ timeMs }) => dayAt(timeMs, zone) === reference.from + at),
    ),
  );
  const groups = dimensions.map((dimension) => groupsBy(dimension, total, measures));
  const kept = groups.flatMap(({ values }) => values);
  const tested = 1 + kept.filter((one) => measures.both(one) >= testedMin).length;
  const isRate = metric === "conversion";
  const threshold = dates < 28 ? null : studentOrNormal(0.001 / tested, isRate ? null : dates - 7);
  const judge: Judge = { metric, measures, threshold, total };
  const judged = assessed(judge, total, true);
  const found = groups.map((group) => dimensionOf(judge, group, limit));
  const drivers = found
    .flatMap((one) => one.drivers)
    .sort(inOrder((one) => one.excess ?? one.delta));
  const isAny = judged.significant === true || found.some((one) => one.isAny);
  const isPreviousKept = keptFrom <= previous.from;
  const needed = Math.max(28, shift);
  const have = [...Array(needed).keys()].filter((at) => current.from - 1 - at >= keptFrom).length;
  const verdict = !isAny ? "noise" : drivers.length > 0 ? "specific" : "broad";
  const digits = isRate ? 4 : 0;
  const now = rounded(measures.amount(total.c), digits);
  const before = rounded(measures.amount(total.p), digits);
  const delta = rounded(now - before, digits);
  const nothing = { ...reference, from: reference.to };
  return {
    ...{ metric, event: goal?.event ?? null },
    current: { ...datesOf(current), value: now },
    previous: { ...datesOf(previous), value: before },
    reference: { ...datesOf(dates > 0 ? reference : nothing), dates },
    needs: have < needed ? { dates: needed, have } : null,
    ...(isPreviousKept ? told() : untold),
  };

  function told() {
    return {
      tested,
      threshold: threshold === null ? null : rounded(threshold, 3),
      total: {
        delta,
        change_pct: before === 0 ? (delta === 0 ? 0 : null) : Math.round((delta / before) * 100),
        ...shownTests(judged),
      },
      verdict: dates >= 28 ? verdict : "too_little_history",
      drivers: drivers.slice(0, 10),
      dimensions: found
        .map(({ fields }) => fields)
        .sort((a, b) => b.surprise - a.surprise || byCodePoints(a.dimension, b.dimension)),
    };
  }
}

/** What is said of a period that is compared with one of which a part is missing. */
const untold = {
  ...{ tested: 0, threshold: null },
  total: { delta: null, change_pct: null, dispersion: null, z: null, significant: null },
  ...{ verdict: "too_little_history", drivers: [], dimensions: [] },
};

type Measures = ReturnType<typeof measuresOf>;

function measuresOf(metric: string, datesOfList: (list: readonly Thing[]) => Thing[][]) {
  const count = (list: readonly Thing[]): number =>
    metric === "users" ? distinct(list.map(({ user }) => user)) : list.length;
  const goals = (list: readonly Thing[]): number => list.filter(({ isGoal }) => isGoal).length;
  const rate = (list: readonly Thing[]): number => share(goals(list), list.length);
  return {
    ...{ count, goals, rate },
    amount: metric === "conversion" ? rate : count,
    both: ({ c, p }: Pick<Lists, "c" | "p">): number => count(c) + count(p),
    perDate: (list: readonly Thing[]): number[] => datesOfList(list).map(count),
  };
}

/** The values of a dimension, the largest apart from the rest. */
function groupsBy(dimension: string, { c, p, r }: Lists, measures: Measures) {
  const byValue = (list: readonly Thing[]) =>
    new Map(grouped(list, (one) => one.valueOf(dimension)));
  const [now, before, earlier] = [byValue(c), byValue(p), byValue(r)];
  const values = [...new Set([...now.keys(), ...before.keys()])]
    .map((value) => ({
      value,
      c: now.get(value) ?? [],
      p: before.get(value) ?? [],
      r: earlier.get(value) ?? [],
    }))
    .sort((a, b) => measures.both(b) - measures.both(a) || byLabel(a.value, b.value));
  return { dimension, values: values.slice(0, keptMax), rest: values.slice(keptMax) };
}
type Groups = ReturnType<typeof groupsBy>;
type Group = Groups["values"][number];

interface Judge {
  readonly metric: string;
  readonly measures: Measures;
  readonly threshold: number | null;
  readonly total: Lists;
}

function assessed({ measures, metric, threshold }: Judge, { c, p, r }: Lists, isTested: boolean) {
  const { count, goals, rate, amount, perDate } = measures;
  const [now, before] = [count(c), count(p)];
  const delta = amount(c) - amount(p);
  const dispersion = metric === "conversion" ? null : dispersionOf(perDate(r));
  let z = 0;
  let isLarge: boolean;
  if (dispersion !== null) {
    if (now !== before) z = (now - before) / Math.sqrt(dispersion * (now + before));
    isLarge = Math.abs(now - before) >= Math.max(10, before / 10);
  } else {
    const pooled = (goals(c) + goals(p)) / (now + before);
    const deviation = Math.sqrt(pooled * (1 - pooled) * (1 / now + 1 / before));
    if (now > 0 && before > 0 && deviation > 0) z = delta / deviation;
    const expected = now * rate(p);
    isLarge = Math.abs(goals(c) - expected) >= Math.max(10, expected / 10);
  }
  const significant = threshold === null ? null : isTested && Math.abs(z) > threshold && isLarge;
  return { delta, dispersion, z, significant };
}

const shownTests = ({ dispersion, z, significant }: ReturnType<typeof assessed>) => ({
  dispersion: dispersion === null ? null : rounded(dispersion, 2),
  z: rounded(z, 3),
  significant,
});

function judgedValue(judge: Judge, group: Group) {
  const { metric, measures, total } = judge;
  const { count, rate, amount } = measures;
  const { c, p } = group;
  const [now, before] = [count(c), count(p)];
  const judged = assessed(judge, group, now + before >= testedMin);
  const { delta } = judged;
  const excess =
    amount(total.p) === 0 ? amount(c) : amount(c) - (amount(p) * amount(total.c)) / amount(total.p);
  const isBeyond = excess * delta > 0 && Math.abs(excess) >= Math.abs(delta) / 2;
  const [part, partBefore] = [share(now, total.c.length), share(before, total.p.length)];
  const mix = (part - partBefore) * (rate(p) - rate(total.p));
  const own = part * (rate(c) - rate(p));
  const isRate = metric === "conversion";
  const isUsers = metric === "users";
  const whole = amount(total.c) - amount(total.p);
  const added = isRate ? mix + own : delta;
  const digits = isRate ? 4 : 0;
  return {
    isDriver: judged.significant === true && (isUsers || isBeyond),
    fields: {
      value: group.value,
      current: rounded(amount(c), digits),
      previous: rounded(amount(p), digits),
      delta: rounded(delta, digits),
      share_pct: isUsers ? null : whole === 0 ? 0 : rounded((100 * added) / whole, 1),
      excess: isUsers ? null : rounded(excess, isRate ? 4 : 1),
      z: rounded(judged.z, 3),
      new: before === 0 && now > 0,
      gone: before > 0 && now === 0,
    },
    more: {
      dispersion: judged.dispersion === null ? null : rounded(judged.dispersion, 2),
      significant: judged.significant,
      ...(isRate && { mix: rounded(mix, 4), rate: rounded(own, 4) }),
    },
  };
}

function dimensionOf(judge: Judge, { dimension, values, rest }: Groups, limit: number) {
  const { metric, measures } = judge;
  const { count, goals, rate } = measures;
  const isRate = metric === "conversion";
  const digits = isRate ? 4 : 0;
  const shown = values.map((group) => judgedValue(judge, group));
  const ofRest = (side: "c" | "p") => rest.flatMap((one) => one[side]);
  const restAmount = (side: "c" | "p"): number =>
    isRate ? rate(ofRest(side)) : sum(rest.map((one) => count(one[side])));
  const size = isRate ? goals : count;
  const pairs = values.map(({ c, p }) => [size(c), size(p)]);
  const restPair = isRate
    ? [goals(ofRest("c")), goals(ofRest("p"))]
    : [restAmount("c"), restAmount("p")];
  const found = shown.map(({ fields, more }) => ({ dimension, ...fields, ...more }));
  return {
    drivers: shown
      .filter(({ isDriver }) => isDriver)
      .map(({ fields }) => ({ dimension, ...fields })),
    isAny: found.some(({ significant }) => significant === true),
    fields: {
      dimension,
      surprise: rounded(surpriseOf([...pairs, restPair]), 4),
      values: found
        .sort(inOrder(({ delta }) => delta))
        .slice(0, limit)
        .map(({ dimension: _, ...fields }) => fields),
      other: {
        values: rest.length,
        current: rounded(restAmount("c"), digits),
        previous: rounded(restAmount("p"), digits),
        delta: rounded(restAmount("c") - restAmount("p"), digits),
      },
    },
  };
}

/** Largest first, then by what they are called. */
const inOrder =
  <One extends { readonly dimension: string; readonly value: string | null }>(
    sizeOf: (one: One) => number,
  ) =>
  (a: One, b: One): number =>
    Math.abs(sizeOf(b)) - Math.abs(sizeOf(a)) ||
    byCodePoints(a.dimension, b.dimension) ||
    byLabel(a.value, b.value);

/** The events of both periods and of the reference. */
interface Lists {
  readonly c: readonly Thing[];
  readonly p: readonly Thing[];
  readonly r: readonly Thing[];
}

const share = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole);
const dayAt = (timeMs: number, zone?: string): number => Math.floor(clockAt(timeMs, zone) / dayMs);
const datesOf = ({ from, to, zone }: ModelDays) => ({
  from: date(from * dayMs),
  to: date(to * dayMs),
  ...(zone !== undefined && { timezone: zone }),
});

/** The first date of which everything is there. */
function firstDate(whole: Model, zone: string | undefined): number {
  const events = whole.all();
  if (events.length === 0) return Number.POSITIVE_INFINITY;
  const first = Math.min(...events.map(({ timeMs }) => dayAt(timeMs, zone)));
  const retained = whole.retainedFrom;
  const clipped = dayAt(retained, zone);
  const isWhole = retained === 0 || dayAt(retained - 1, zone) < clipped;
  return Math.max(first, isWhole ? clipped : clipped + 1);
}

function dispersionOf(counts: readonly number[]): number {
  if (counts.length <= 7) return 1;
  const weeks = grouped(
    counts.map((count, at) => ({ count, weekday: at % 7 })),
    ({ weekday }) => weekday,
  );
  const parts = weeks.flatMap(([, list]) => {
    const mean = sum(list.map(({ count }) => count)) / list.length;
    return mean === 0 ? [] : list.map(({ count }) => (count - mean) ** 2 / mean);
  });
  return Math.max(1, plainSum(parts) / (counts.length - 7));
}

function surpriseOf(pairs: readonly (readonly number[])[]): number {
  const all = sum(pairs.map(([now]) => now));
  const allBefore = sum(pairs.map(([, before]) => before));
  const bits = (x: number, y: number): number => (x === 0 ? 0 : x * Math.log2((2 * x) / (x + y)));
  return plainSum(
    pairs.map(([now, before]) => {
      const a = share(before, allBefore);
      const b = share(now, all);
      return 0.5 * (bits(a, b) + bits(b, a));
    }),
  );
}

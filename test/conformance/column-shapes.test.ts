import { expect, test } from "bun:test";
import type { ObjectEvent } from "../../src/domain/event";
import type { Condition } from "../../src/domain/filter";
import { within } from "../../src/domain/filter-items";
import { allTime } from "../../src/domain/period";
import { type Sizes, usualSizes } from "../support/engine/engine";
import { engineMsMax, isRefused, onEach, openEngine } from "../support/engine/opened-engine";
import { cases } from "../support/random/cases";
import { type Random, randomFrom, randomSeed } from "../support/random/random";
import { isSent, type SentItem } from "../support/random/random-filters";
import { type Cast, dayMs, usualToday } from "../support/world/cast";
import type { History, Step } from "../support/world/history";
import { play } from "../support/world/play";
import { type Question, randomQuestions } from "../support/world/questions";

/**
 * A segment stores a column in one of several forms, by its values: a code for each visit or for each event, with
 * counts of its values, with masks, with the first code of each visit, or in another column. Reads have a method of
 * their own for many combinations of these forms and of the rows that a filter selects. In random histories nearly
 * every column has a code for each event. Here each column has each form, with each kind of filter.
 */
const eventCount = 200;
/** Most events are of this date. It is not the first of its month, as small dates of a month share a segment. */
const today = usualToday + 9;
const firstMs = today * dayMs - 3 * 3_600_000;
/** Midnights of this zone cut segments, so that reads count parts of them. */
const zone = "America/St_Johns";
/** Each shape answers this share of the pairs of a filter and a grouping. */
const askedShare = onEach(cases(0.1, 0.5), 0.01);
/** Each shape answers this share of the questions of other reads. */
const othersShare = onEach(cases(0.05, 0.3), 0.01);

/** An event, by its number and that of its visit. */
type Place = { readonly index: number; readonly visit: number; readonly random: Random };
/** Chooses a value for an event. */
type ValueOf<T> = (place: Place) => T;

/** How events lie in visits. */
const visitForms: Readonly<
  Record<string, (index: number, random: Random) => readonly [user: number, session: number]>
> = {
  "four events": (index) => [index >> 3, index >> 2],
  "one event": (index) => [index % 30, index],
  "one session": (index) => [index % 9, 0],
  "no session": (index) => [index % 20, -1],
  "no user": (index) => [-1, index % 25],
  "nobody and others": (index) => (index % 3 === 0 ? [-1, -1] : [index % 7, index % 11]),
  "several in a session": (_, { below }) => [below(12), below(20)],
};

const names = ["page_view", "signup", "$scroll_depth", "purchase", "click"];
const name = (number: number): string => names[number] ?? `event ${number}`;
const countries = ["DE", "US", null, "FR"];
const mixed = [1, "1", true, null, "", "v", 2.5];

const nameForms: Readonly<Record<string, ValueOf<string>>> = {
  "of visits": ({ visit }) => name(visit % 5),
  "of events": ({ random }) => name(random.below(5)),
  one: () => "page_view",
  "of few visits": ({ visit, random }) => name(visit % 7 === 0 ? random.below(3) : 0),
  // The most that masks have bits for.
  "thirty-one": ({ random }) => name(random.below(31)),
  "thirty-three": ({ index }) => name(index % 33),
};
const countryForms: readonly ValueOf<string | null>[] = [
  ({ visit }) => countries[visit % 4],
  ({ random }) => random.pick(countries),
  () => "DE",
  () => null,
];
/** Values of a property; undefined where the event lacks it. */
const propertyForms: readonly ((place: Place & { readonly country: string | null }) => unknown)[] =
  [
    ({ visit }) => `v${visit % 3}`,
    ({ random }) => `v${random.below(5)}`,
    ({ random }) => `v${random.below(40)}`,
    ({ index }) => `v${index}`,
    ({ index }) => (index % 20 === 0 ? `v${index % 3}` : undefined),
    ({ visit }) => (visit % 9 === 0 ? "v1" : undefined),
    ({ country }) => country ?? undefined,
    ({ random }) => random.pick(mixed),
    () => "v1",
  ];
const numberForms: readonly ValueOf<unknown>[] = [
  ({ random }) => random.below(50) / 4,
  ({ visit }) => visit % 6,
  ({ index, visit }) => (index % 15 === 0 ? visit : undefined),
  ({ random }) => random.pick(mixed),
];
const paths = ["/", "/a", "/a/b", ""];
const pathForms: readonly ValueOf<unknown>[] = [
  ({ random }) => random.pick(paths),
  ({ random }) => random.pick<unknown>([...paths, 7]),
  ({ visit }) => paths[visit % 4],
  ({ random }) => (random.chance(0.3) ? random.pick(paths) : undefined),
  () => undefined,
];

function eventsOf(random: Random, visits: string, names: string): ObjectEvent[] {
  const { below, chance, pick } = random;
  const [countryOf, x, n, path, url] = [
    pick(countryForms),
    pick(propertyForms),
    pick(numberForms),
    pick(pathForms),
    pick(pathForms),
  ];
  const homes = Array.from({ length: eventCount }, () => firstMs + below(dayMs));
  return Array.from({ length: eventCount }, (_, index): ObjectEvent => {
    const [user, session] = visitForms[visits](index, random);
    const visit = 100 * (session + 1) + user + 1;
    const place = { index, visit, random };
    const country = countryOf(place);
    const properties = Object.entries({
      ...{ x: x({ ...place, country }), n: n(place) },
      ...{ path: path(place), url: url(place) },
    }).filter(([, value]) => value !== undefined);
    return {
      name: nameForms[names](place),
      timeMs: homes[Math.max(0, session)] + below(chance(0.1) ? 2 * dayMs : 3_600_000),
      userId: user < 0 ? null : `u${user}`,
      sessionId: session < 0 ? null : `s${session}`,
      country,
      properties: properties.length === 0 ? null : Object.fromEntries(properties),
      eventId: null,
    };
  });
}

const is = (field: Condition["field"], op: Condition["op"], value: string): Condition => ({
  ...{ field, op, value },
});
const did = { isNegated: false, filters: [], window: null };
const filters: readonly (SentItem | null)[] = [
  null,
  is("event", "eq", "page_view"),
  is("event", "neq", "page_view"),
  is("country", "eq", "DE"),
  is("country", "is_null", ""),
  is("properties.x", "eq", "v1"),
  is("properties.x", "is_null", ""),
  is("properties.x", "prefix", "v"),
  is("properties.path", "eq", "/a"),
  is("properties.n", "gte", "3"),
  is("user_id", "eq", "u3"),
  is("timestamp", "gte", String(today * dayMs + 3_600_000)),
  is("session.entry_page", "eq", "/a"),
  { any: [is("properties.x", "eq", "v1"), is("country", "eq", "US")] },
  { any: [is("user_id", "eq", "u3"), is("event", "eq", "signup")] },
  { ...did, did: "signup", of: "session" },
  { ...did, did: "page_view", of: "session", isNegated: true },
  { ...did, did: "signup" },
  { ...did, did: "purchase", isNegated: true, filters: [is("country", "eq", "DE")] },
];
const groupings = [
  ...[[], ["event"], ["country"], ["properties.x"], ["user_id"], ["session_id"], ["hour"]],
  ...[["session.entry_page"], ["event", "country"], ["event", "properties.x"]],
  ...[
    ["country", "user_id"],
    ["session.entry_page", "event"],
    ["properties.x", "hour"],
  ],
  ["session_id", "event"],
];
const metrics = [
  ...["event_count", "unique_users", "session_count", "bounce_rate", "avg_duration", "page_views"],
  ...["sum:properties.n", "p95:properties.n", "distinct:properties.x"],
];

/** Some pairs of a filter and a grouping, in random order; a share with filters asks some of them. */
function queries({ below, chance, pick }: Random): Question[] {
  const all = filters.flatMap((item) => groupings.map((groupBy) => [item, groupBy] as const));
  const asked = all.filter(() => chance(askedShare)).map((pair) => ({ pair, place: below(1e9) }));
  return asked
    .toSorted((a, b) => a.place - b.place)
    .map(({ pair: [item, groupBy] }) => {
      const share = chance(0.2) ? pick(filters) : null;
      return {
        ask: "query",
        days: pick([
          { from: today - 1, to: today + 1 },
          { from: today - 1, to: today + 1, zone },
          { from: today, to: today, zone },
        ]),
        query: {
          ...{ metrics, groupBy, conditions: [], userId: null, limit: pick([3, 1_000]) },
          ...{
            goal: { event: "signup", filters: [] },
            countMode: pick(["raw", "session_then_user"]),
          },
          ...{ orderBy: pick([...metrics, ...groupBy]), order: pick(["asc", "desc"]) },
        },
        ...(item !== null && { filters: [item] }),
        ...(share !== null && { narrowedBy: within([share], allTime).filter(isSent) }),
      };
    });
}

function historyOf(random: Random, visits: string, names: string): History {
  const nowMs = (today + 3) * dayMs;
  const events = eventsOf(random, visits, names);
  const cast: Cast = {
    ...{ today, zone, names: [...new Set(events.map((event) => event.name))] },
    users: ["nobody", ...new Set(events.flatMap(({ userId }) => userId ?? []))],
    sessions: ["none", ...new Set(events.flatMap(({ sessionId }) => sessionId ?? []))],
    keys: ["x", "n", "path"],
  };
  const others = randomQuestions(random, cast, othersShare);
  const asked = [...queries(random), ...others].filter((question) => !isRefused(question));
  const steps: Step[] = [
    ...storing(random, events, nowMs),
    ...asked.map((question): Step => ({ kind: "ask", nowMs, question })),
  ];
  return { sizes: sizesOf(random), steps };
}

/** Stores events as one segment of a date, as segments that are merged, or the last of them as rows. */
function storing({ chance, pick }: Random, events: readonly ObjectEvent[], nowMs: number): Step[] {
  const commit = (some: readonly ObjectEvent[]): Step => ({ kind: "commit", nowMs, events: some });
  const compact: Step = { kind: "compact", nowMs, merges: Number.POSITIVE_INFINITY };
  const first = events.slice(0, pick([eventCount, eventCount / 2, eventCount - 20]));
  const rest = events.slice(first.length);
  return [
    ...[commit(first), compact, commit(rest)],
    ...(chance(0.5) ? [compact] : []),
    ...(chance(0.2) ? [{ kind: "retain", nowMs, fromMs: firstMs + dayMs / 4 } as const] : []),
  ];
}

function sizesOf({ pick }: Random): Sizes {
  const columnEventsMin = pick([1, 100]);
  return {
    ...{ ...usualSizes, columnEventsMin, waitingRowsMax: columnEventsMin },
    countedEventsMin: pick([1, 1, 1e9]),
    propertyColumnsMax: pick([1, 256]),
    dictionaryApartBytesMin: pick([0, 4_096]),
    pairArrayLengthMax: pick([0, 1 << 22]),
    cachedUserValuesMax: pick([3, 1_024]),
  };
}

const shapes = Object.keys(visitForms).flatMap((visits) =>
  Object.keys(nameForms).map((of) => [visits, of] as const),
);
const rounds = cases(1, 4);
const seed = randomSeed();

test.each(onEach(shapes, shapes.slice(0, 3)))(
  `reads agree with the model: visits of %s, names %s (seed ${seed})`,
  async (visits, of) => {
    const place = shapes.findIndex((shape) => shape[0] === visits && shape[1] === of);
    for (let round = 0; round < rounds; round++) {
      const random = randomFrom(seed + rounds * place + round);
      const history = historyOf(random, visits, of);
      const asked = history.steps.filter(({ kind }) => kind === "ask").length;
      expect(await play(history, openEngine)).toBe(asked);
    }
  },
  engineMsMax,
);

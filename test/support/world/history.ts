import type { ObjectEvent } from "../../../src/domain/event";
import { type Sizes, usualSizes } from "../engine/engine";
import type { Random } from "../random/random";
import { type Cast, dayMs, usualToday } from "./cast";
import { eventMaker } from "./event-maker";
import { type Question, randomQuestions } from "./questions";

/** What happens to one store, as data: so that a failing history can be made smaller and run again. */
export interface History {
  readonly sizes: Sizes;
  readonly steps: readonly Step[];
}

export type Step =
  | Change
  | { readonly kind: "restart"; readonly nowMs: number }
  | { readonly kind: "ask"; readonly nowMs: number; readonly question: Question }
  | Interrupted;

/** A read that is interrupted by a change when it has come to its `place`th statement or segment. */
export interface Interrupted {
  readonly kind: "interrupted";
  readonly nowMs: number;
  readonly question: Question;
  readonly place: number;
  readonly meanwhile: readonly Change[];
}

export type Change =
  | { readonly kind: "commit"; readonly nowMs: number; readonly events: readonly ObjectEvent[] }
  | {
      readonly kind: "identify";
      readonly nowMs: number;
      readonly previousId: string;
      readonly userId: string;
    }
  | { readonly kind: "unlink"; readonly nowMs: number; readonly previousId: string }
  | { readonly kind: "compact"; readonly nowMs: number; readonly merges: number }
  | { readonly kind: "note overlaps"; readonly nowMs: number }
  | { readonly kind: "sweep"; readonly nowMs: number }
  | { readonly kind: "retain"; readonly nowMs: number; readonly fromMs: number }
  | { readonly kind: "purge"; readonly nowMs: number }
  /** Another project with these events replaces it. */
  | { readonly kind: "replace"; readonly nowMs: number; readonly events: readonly ObjectEvent[] };

const names = [
  ...["page_view", "page_view", "click", "signup", "purchase", "$scroll_depth", "$error"],
  ...["😀 event", 'a"b', "～", "nul\0nul", "constructor", "__proto__"],
];
const plainKeys = ["plan", "n", "deep", "10", "2", "constructor", "toString", "hasOwnProperty"];
const hostileKeys = [
  "ключ",
  "a b",
  "nul\0",
  "\ud800",
  "a\ud83d",
  "__proto__",
  "",
  "a.b",
  '"',
  "$.a",
];

/** A time other than the usual one, and a time zone in which most questions are asked. */
export interface Setting {
  /** Most events are of this date of UTC, all of a few dates around it. */
  readonly date: number;
  readonly zone: string;
  /** The sizes that the engine must have. */
  readonly sizes: Partial<Sizes>;
}
/** The number of dates on which events happen, and how long before the last one most of them happen. */
const usualDates = { count: 41, busiest: 30 };
const datesOfSetting = { count: 5, busiest: 3 };

export function randomHistory(random: Random, eventCount: number, setting?: Setting): History {
  const { between, chance, pick } = random;
  const dates = setting === undefined ? usualDates : datesOfSetting;
  const cast: Cast = {
    today: setting === undefined ? usualToday : setting.date + dates.busiest,
    zone: setting?.zone,
    users: many(between(3, 28), (i) => `${pick(["u", "anon-", "ü😀", "Z", "nul\0"])}${i}`),
    sessions: many(between(2, 120), (i) => `${pick(["s", "sess\n", "ß𝒳", "nul\0", ""])}s${i}`),
    names,
    keys: [...plainKeys, ...hostileKeys, ...many(pick([0, 0, 400]), (i) => `key_${i}`)],
  };
  const makeEvent = eventMaker(random, cast, dates);
  const steps: Step[] = [];
  const { today } = cast;
  let nowMs = (today + 1) * dayMs - 120_000;
  let jumps = 4;
  let retained = 45;
  for (let made = 0; made < eventCount; ) {
    const batch = between(1, pick([1, 10, 100, 700]));
    nowMs += between(1, 60 * batch);
    steps.push({ kind: "commit", nowMs, events: many(batch, makeEvent) });
    made += batch;
    if (chance(0.2)) steps.push(randomIdentify(random, cast, nowMs));
    if (chance(0.1)) steps.push({ kind: "unlink", nowMs, previousId: pick(cast.users) });
    if (chance(0.5)) steps.push({ kind: "compact", nowMs, merges: between(1, 3) });
    if (chance(0.3)) steps.push({ kind: "note overlaps", nowMs });
    if (chance(0.1)) {
      nowMs += 120_000;
      steps.push({ kind: "sweep", nowMs });
    }
    if (chance(0.05)) steps.push({ kind: "restart", nowMs });
    if (chance(0.03)) {
      retained -= between(1, 10);
      steps.push({ kind: "retain", nowMs, fromMs: (today - retained) * dayMs });
    }
    if (chance(0.01)) steps.push({ kind: "purge", nowMs });
    if (jumps > 0 && chance(0.05)) {
      jumps--;
      nowMs += 30 * 3_600_000;
    }
    if (chance(0.05)) steps.push(...asked(random, cast, nowMs, 0.1));
    if (chance(0.05)) steps.push(...watched(random, cast, nowMs, makeEvent));
  }
  steps.push(...asked(random, cast, nowMs, 1));
  steps.push({ kind: "compact", nowMs, merges: Number.POSITIVE_INFINITY });
  steps.push({ kind: "note overlaps", nowMs });
  // The cache has the results of these questions when some more events arrive, of whatever date.
  const last = asked(random, cast, nowMs, 1);
  steps.push(...last);
  if (eventCount > 0) steps.push({ kind: "commit", nowMs, events: many(between(1, 9), makeEvent) });
  if (chance(0.2)) steps.push(randomIdentify(random, cast, nowMs));
  steps.push(...last);
  const sizes = { ...randomSizes(random), ...setting?.sizes };
  return { sizes, steps: withInterrupted(random, cast, steps, makeEvent) };
}

const asked = (random: Random, cast: Cast, nowMs: number, share: number): Step[] =>
  randomQuestions(random, cast, share).map((question) => ({ kind: "ask", nowMs, question }));

/** The same question asked again and again while a few events arrive: what is kept must be brought up to date. */
function watched(random: Random, cast: Cast, nowMs: number, makeEvent: () => ObjectEvent): Step[] {
  const questions = randomQuestions(random, cast, 1).filter(({ ask }) => ask !== "events");
  const question = random.pick(questions);
  return many(5, (): Step[] => [
    { kind: "ask", nowMs, question },
    { kind: "commit", nowMs, events: many(random.between(1, 9), makeEvent) },
    ...(random.chance(0.2) ? [randomIdentify(random, cast, nowMs)] : []),
    ...(random.chance(0.2)
      ? [{ kind: "unlink", nowMs, previousId: random.pick(cast.users) } as const]
      : []),
  ]).flat();
}

const interruptionsMax = 8;
/** What is retired is freed a minute later. */
const sweptAfterMs = 120_000;

/** A history with reads in it that others interrupt. */
function withInterrupted(
  random: Random,
  cast: Cast,
  steps: readonly Step[],
  makeEvent: () => ObjectEvent,
): Step[] {
  const places = new Set(many(interruptionsMax, () => random.below(steps.length)));
  let laterMs = 0;
  return steps.flatMap((step, index): Step[] => {
    const moved = { ...step, nowMs: step.nowMs + laterMs };
    if (!places.has(index)) return [moved];
    const added = randomInterrupted(random, cast, moved.nowMs, makeEvent);
    laterMs += sweptAfterMs;
    return [moved, added];
  });
}

function randomInterrupted(
  random: Random,
  cast: Cast,
  nowMs: number,
  makeEvent: () => ObjectEvent,
): Interrupted {
  const { between, chance, pick } = random;
  const asked = pick(randomQuestions(random, cast, 1));
  // One page: the next one would be another read.
  const isList = asked.ask === "events" || asked.ask === "sessions";
  const question = isList ? { ...asked, limit: 1_000_000 } : asked;
  const events = (): ObjectEvent[] => many(between(1, 20), makeEvent);
  // A user who is linked twice gets another number.
  const identified = pick(cast.users);
  const links = many(between(0, 2), (): Change => {
    return { ...randomIdentify(random, cast, nowMs), previousId: identified };
  });
  const changes: Change[] = [
    ...(chance(0.5) ? [{ kind: "commit", nowMs, events: events() } as const] : []),
    ...links,
    ...(chance(0.3) ? [{ kind: "unlink", nowMs, previousId: pick(cast.users) } as const] : []),
    ...(chance(0.5) ? [{ kind: "compact", nowMs, merges: between(1, 30) } as const] : []),
    ...(chance(0.3) ? [{ kind: "note overlaps", nowMs } as const] : []),
    ...(chance(0.1)
      ? [{ kind: "retain", nowMs, fromMs: (cast.today - between(20, 45)) * dayMs } as const]
      : []),
    ...(chance(0.1) ? [{ kind: "purge", nowMs } as const] : []),
    ...(chance(0.1) ? [{ kind: "replace", nowMs, events: events() } as const] : []),
    ...(chance(0.7) ? [{ kind: "sweep", nowMs: nowMs + sweptAfterMs } as const] : []),
  ];
  return { kind: "interrupted", nowMs, question, place: between(1, 25), meanwhile: changes };
}

function randomSizes({ pick }: Random): Sizes {
  const columnEventsMin = pick([4, 16, 64, 512]);
  return {
    ...usualSizes,
    columnEventsMin,
    countedEventsMin: pick([1, 2]) * columnEventsMin,
    mergeFanIn: pick([2, 4, 8]),
    waitingRowsMax: pick([20, 200, 2_048]) + columnEventsMin,
    mergeEventsMax: pick([200, 1_000, 262_144]),
    settledEventsMin: pick([4, 64, 8_192]),
    gatheredSessionsMax: pick([1, 3, 32_768]),
    absorbedEventsMax: pick([0, 100, 65_536]),
    dictionaryApartBytesMin: pick([0, 40, 4_096]),
    dailyEventsMin: pick([0, 10, 512]),
    droppedBytesMax: pick([0, 1_000, 1 << 25]),
    questionBytesMax: 1 << 29,
    tiesMax: pick([0, 4, 4_096]),
    pairArrayLengthMax: pick([0, 20, 1 << 22]),
    passingRowsBytesMax: pick([0, 100, 1 << 26]),
    cachedUserValuesMax: pick([0, 3, 1_024]),
    cacheBytes: pick([0, 20_000, 1 << 28]),
  };
}

function randomIdentify(
  { pick, below }: Random,
  { users }: Cast,
  nowMs: number,
): Extract<Change, { kind: "identify" }> {
  const userId = pick([...users, `new-user-${below(4)}`]);
  return { kind: "identify", nowMs, previousId: pick(users), userId };
}

const many = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

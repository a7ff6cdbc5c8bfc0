import { hourMs } from "../../../src/lib/clock";
import { funnelSteps, goal } from "../questions";
import {
  type Cell,
  type Comparison,
  comparison,
  isPassive,
  quoted,
  type Rows,
  rounded,
  type Span,
  sessionsOf,
  startsIn,
  within,
} from "./tables";

interface Step {
  readonly users: number;
  readonly avg_time_to_next_ms: number | null;
  readonly raw_activity: { event_count: number; unique_users: number; sessions: number };
  readonly joinable_entities: number;
}
interface Funnel {
  readonly steps: readonly Step[];
  readonly breakdowns?: readonly {
    value: string | null;
    steps: readonly Omit<Step, "raw_activity">[];
  }[];
}
interface Entry {
  readonly entry_page: string;
  readonly sessions: number;
  readonly conversions: number;
  readonly exit_pages: readonly { exit_page: string; sessions: number; conversions: number }[];
  readonly tree: readonly { type: string; value: string; sessions: number; conversions: number }[];
}

const conversionMs = 168 * hourMs;
const plain = funnelSteps.map((event) => `event = ${quoted(event)}`);
const filtered = [
  "event = 'page_view' and starts_with(path, '/docs')",
  "event = 'purchase' and plan in ('team', 'business')",
];

/** The reads that follow users or sessions from event to event. */
export const journeyComparisons: Readonly<Record<string, Comparison>> = {
  "/funnel by user": funnel("user_id", plain),
  "/funnel by session": funnel("session_id", plain),
  "/funnel by user, per browser": funnel("user_id", plain, "browser"),
  "/funnel by user, filtered steps": funnel("user_id", filtered),
  "/paths": comparison<{ entry_paths: Entry[] }>(
    (span) => [waysSql(span)],
    ({ entry_paths: entries }) => [
      entries
        .flatMap(({ entry_page, exit_pages }) =>
          exit_pages.map((one): Cell[] => [
            ...[entry_page, one.exit_page, one.sessions, one.conversions],
          ]),
        )
        .toSorted(byCells),
      entries
        .map(({ entry_page, tree }): Cell[] => [entry_page, tree[0].sessions])
        .toSorted(byCells),
    ],
    ([ways = []]) => [sumsOf(ways, ([entry, exit]) => [entry, exit]), mostFrequentFirst(ways)],
  ),
};

const byCells = (a: readonly Cell[], b: readonly Cell[]): number =>
  compare(a[0], b[0]) || compare(a[1], b[1]);
const compare = (a: Cell, b: Cell): number => (String(a) < String(b) ? -1 : Number(a !== b));

/** Rows of (entry, exit, first node, …, sessions, conversions), summed per key. */
function sumsOf(ways: Rows, keyOf: (way: readonly Cell[]) => Cell[]): Rows {
  const sums = new Map<string, [sessions: number, conversions: number]>();
  for (const way of ways) {
    const key = JSON.stringify(keyOf(way));
    const [sessions, conversions] = sums.get(key) ?? [0, 0];
    sums.set(key, [sessions + Number(way.at(-2)), conversions + Number(way.at(-1))]);
  }
  const rows = [...sums].map(([key, counts]): Cell[] => [...JSON.parse(key), ...counts]);
  return rows.toSorted(byCells);
}

/** Counts the sessions that took the most frequent first node of each entry; end nodes differ by exit page. */
function mostFrequentFirst(ways: Rows): Rows {
  const most = new Map<Cell, number>();
  for (const [entry, , , sessions] of sumsOf(ways, ([entry, exit, first]) => [
    ...[entry, first ?? null, first === null ? exit : null],
  ])) {
    most.set(entry, Math.max(most.get(entry) ?? 0, Number(sessions)));
  }
  return [...most].toSorted(byCells);
}

/** One table per step: who took it, with which event, and when. */
function funnel(
  entity: "user_id" | "session_id",
  conditions: readonly string[],
  breakdown?: string,
): Comparison {
  const last = conditions.length - 1;
  const figures = [
    ...conditions.map((_, step) => `count(t${step})`),
    ...conditions.slice(1).map((_, step) => rounded(`avg(t${step + 1} - t${step})`, 0)),
  ].join(", ");
  const stepsOf = (steps: readonly Omit<Step, "raw_activity">[]): Cell[] => [
    ...steps.map(({ users }) => users),
    ...steps.slice(0, last).map(({ avg_time_to_next_ms: ms }) => ms),
  ];
  return comparison<Funnel>(
    (span) => {
      const walk = walkSql(span, entity, conditions, breakdown);
      return [
        ...conditions.map(
          (
            condition,
          ) => `select count(*), count(distinct user_id), count(distinct session_id), count(distinct ${entity})
            from events where ${within(span)} and ${condition}`,
        ),
        breakdown === undefined
          ? `${walk} select ${figures} from step${last}`
          : `${walk} select value, ${figures} from step${last} group by rollup (value)
             order by grouping(value) desc, count(t0) desc, value limit 11`,
      ];
    },
    ({ steps, breakdowns = [] }) => [
      ...steps.map(({ raw_activity: raw, joinable_entities }) => [
        [raw.event_count, raw.unique_users, raw.sessions, joinable_entities],
      ]),
      breakdown === undefined
        ? [stepsOf(steps)]
        : [
            [null, ...stepsOf(steps)],
            ...breakdowns.map(({ value, steps: own }): Cell[] => [value, ...stepsOf(own)]),
          ],
    ],
  );
}

function walkSql(
  span: Span,
  entity: string,
  conditions: readonly string[],
  breakdown: string | undefined,
): string {
  const value = breakdown === undefined ? "" : `, arg_min(${breakdown}, seq) as value`;
  const steps = conditions.map((condition, step) => {
    if (step === 0) {
      return `step0 as (
        select ${entity} as entity, min(seq) as seq0, min(ts) as t0 ${value} from events
        where ${within(span)} and ${condition} and ${entity} is not null
        group by entity)`;
    }
    const before = step - 1;
    return `found${step} as (
        select entity, min(seq) as seq${step}, min(ts) as t${step} from events join step${before} on ${entity} = entity
        where ${within(span)} and ${condition} and seq > seq${before} and ts <= t0 + ${conversionMs}
        group by entity),
      step${step} as (from step${before} left join found${step} using (entity))`;
  });
  return `with ${steps.join(", ")}`;
}

/** The sessions of the ten entry pages with most sessions, and each one's list of nodes. */
const waysSql = (span: Span): string => `
  with ${sessionsOf(span, ["start", "entry", "exit"])},
  own as (from sessions where ${startsIn(span)} and entry is not null),
  top as (select entry from own group by entry order by count(*) desc, entry limit 10),
  walked as (from own where entry in (from top)),
  node as (
    select session_id, seq, case
      when event = ${quoted(goal)} then 'goal'
      when event = 'page_view' then 'page:' || nullif(nullif(path, ''), entry)
      when ${isPassive("event")} then null else 'event:' || event end as name
    from events join walked using (session_id) where project = 0),
  moved as (from node where name is not null
    qualify name is distinct from lag(name) over (partition by session_id order by seq)),
  listed as (select session_id, list(name order by seq) as names from moved group by session_id),
  way as (
    select entry, coalesce(exit, 'unknown') as exit, coalesce(names, []) as names,
      coalesce(list_contains(names, 'goal'), false) as converts
    from walked left join listed using (session_id))
  select entry, exit, names[1], names[2], names[3], names[4], names[5], names[6], count(*), count(*) filter (converts)
  from way group by all`;

import type { BreakdownField, FunnelRequest, PathsRequest } from "../../../domain/counting";
import { nonInteractiveEvents } from "../../../domain/event";
import { eventsOf, isPlain, labelOf } from "../../../domain/goal";
import type { EntryPath, FunnelGroup, FunnelResult, View } from "../../questions";
import { nodeCode, PathTrees } from "../../shared/path-trees";
import { Way } from "../../shared/way";
import { Bound } from "../sql/bound";
import { isThereSql, itemsSql, textSql } from "../sql/conditions";
import { Events } from "../sql/events";
import type { OpenRead } from "../sql/open-read";
import { timeMs } from "../sql/values";
import { reachedEvents } from "./goals";
import { askedSessions } from "./sessions";

interface FoundGroup {
  readonly value: string;
  readonly users: number[];
  readonly gaps: number[];
}

/** The value of a field with a mark before it, because a value may be the empty text. */
function markedText(events: Events, field: BreakdownField): string {
  const { zone } = events.asked;
  const asked = { field, ...(zone !== undefined && { zone }) };
  return `if(${isThereSql(events, asked)}, concat('=', ${textSql(events, asked)}), '')`;
}

export async function funnel(
  read: OpenRead,
  view: View,
  request: FunnelRequest,
): Promise<FunnelResult> {
  const { steps, window_ms: windowMs, count_by: countBy, breakdown } = request;
  const bound = new Bound();
  const names = bound.texts([...new Set(steps.map(({ event }) => event))]);
  const events = new Events(read, bound, view, `name in ${names}`);
  const entity = countBy === "user_id" ? "user" : "session_id";
  const bits = steps.map(
    (goal, step) => `if(${itemsSql(events, eventsOf(goal))}, ${1 << step}, 0)`,
  );
  const value = breakdown === null ? "''" : markedText(events, breakdown);
  const matching = `(select time, ticket, user, session_id, ${entity} as entity, ${bits.join(" + ")} as steps,
      ${value} as value
    from ${events.sql()} where steps != 0)`;
  const [[activity], groups] = await Promise.all([
    read.ask<Record<string, number>>(
      `select ${steps.map(activitySql).join(", ")} from ${matching}`,
      bound,
    ),
    read.ask<FoundGroup>(
      walkSql(matching, steps.length, bound.integer(Math.floor(windowMs))),
      bound,
    ),
  ]);
  const zeros = (): number[] => steps.map(() => 0);
  const added = (a: readonly number[], b: readonly number[]): number[] =>
    a.map((one, at) => one + b[at]);
  const overall = groups.reduce(
    (sum, { users, gaps }) => ({
      value: null,
      users: added(sum.users, users),
      total_gap_ms: added(sum.total_gap_ms, gaps),
    }),
    { value: null, users: zeros(), total_gap_ms: zeros() } satisfies FunnelGroup,
  );
  return {
    activity: steps.map((_, step) => ({
      event_count: activity[`events_${step}`],
      unique_users: activity[`users_${step}`],
      sessions: activity[`sessions_${step}`],
      joinable_entities: activity[`entities_${step}`],
    })),
    overall,
    groups:
      breakdown === null
        ? []
        : groups.map(({ value: label, users, gaps }) => ({
            value: label === "" ? null : label.slice(1),
            users,
            total_gap_ms: gaps,
          })),
  };
}

function activitySql(_: unknown, step: number): string {
  const matches = `bitTest(steps, ${step})`;
  return `countIf(${matches}) as events_${step}, uniqExactIf(user, ${matches} and user != '') as users_${step},
    uniqExactIf(session_id, ${matches} and session_id != '') as sessions_${step},
    uniqExactIf(entity, ${matches} and entity != '') as entities_${step}`;
}

/** Goes through the events of each entity in order; the first event that is its next step takes it there. */
function walkSql(matching: string, count: number, windowMs: string): string {
  const isNext = `length(used) < ${count} and bitTest(event.3, length(used))
    and (empty(used) or event.1 <= used[1] + ${windowMs})`;
  return `select value, sumForEach(arrayMap(step -> toUInt64(length(times) > step), range(${count}))) as users,
      sumForEach(arrayMap(step -> if(length(times) > step + 1, times[step + 2] - times[step + 1], 0),
        range(${count}))) as gaps
    from (
      select arrayFirst(event -> bitTest(event.3, 0), found).4 as value,
        arrayFold((used, event) -> if(${isNext}, arrayPushBack(used, event.1), used), found, emptyArrayInt64()) as times
      from (
        select arraySort(groupArray((${timeMs}, ticket, steps, value))) as found
        from ${matching} as matching where entity != '' group by entity
      ) where length(times) > 0
    ) group by value`;
}

interface FoundWay {
  readonly entry_page: string;
  readonly exit_page: string;
  readonly converted: 0 | 1;
  readonly way: readonly (readonly [type: "page" | "event" | "goal", value: string])[];
}

const outside = [...nonInteractiveEvents].map((name) => `'${name}'`).join(", ");

export async function paths(
  read: OpenRead,
  view: View,
  request: PathsRequest,
): Promise<EntryPath[]> {
  const { candidate_session_cap: cap, entry_limit: entryLimit, max_steps: stepsMax } = request;
  const bound = new Bound();
  const sessions = `(select * from ${askedSessions(read, bound, view)} where entry_page != '')`;
  const { number, retainedFromMs } = read.project(view.projectId);
  const { goal } = request;
  const isGoal = isPlain(goal)
    ? `name = ${bound.text(goal.event)}`
    : `ticket in (select ticket from ${reachedEvents(read, bound, view, goal)})`;
  const ways = await read.ask<FoundWay>(
    `with chosen as (
      select session_id, entry_page, exit_page from ${sessions}
      where entry_page in (select entry_page from ${sessions} group by entry_page order by count() desc, entry_page
        limit ${bound.integer(entryLimit)})
      order by start desc, session_id desc ${cap === null ? "" : `limit ${bound.integer(cap)}`}
    )
    select any(walked.entry_page) as entry_page, any(walked.exit_page) as exit_page,
      arrayCompact(arrayMap(node -> (node.3, node.4),
        arraySort(groupArrayIf((time, ticket, type, value), type != '')))) as nodes,
      arrayFirstIndex(node -> node.1 = 'goal', nodes) as goal, goal > 0 as converted,
      arraySlice(nodes, 1, least(if(goal = 0, length(nodes), goal), ${stepsMax + 1})) as way
    from (
      select time, ticket, event.session_id as session_id, chosen.entry_page as entry_page,
        chosen.exit_page as exit_page,
        multiIf(${isGoal}, 'goal', name = 'page_view', if(path = '' or path = chosen.entry_page, '', 'page'),
          name in (${outside}), '', 'event') as type,
        multiIf(type = 'goal', ${bound.text(labelOf(goal))}, type = 'page', path, name) as value
      from ${read.eventTable(bound, view.projectId)} as event inner join chosen on chosen.session_id = event.session_id
      where project = ${bound.integer(number)} and time >= ${bound.time(retainedFromMs)}
        and ticket <= ${bound.integer(read.moment.lastTicket)}
    ) as walked
    group by session_id`,
    bound,
  );
  /** No text has the number of the empty one: an exit page may be none. */
  const texts = [""];
  const numbers = new Map([["", 0]]);
  const numberOf = (text: string): number => {
    const known = numbers.get(text);
    if (known !== undefined) return known;
    numbers.set(text, texts.length);
    return texts.push(text) - 1;
  };
  const trees = new PathTrees((_, number) => texts[number]);
  const way = new Way(nodeCode("goal", numberOf(labelOf(goal))), stepsMax);
  for (const { entry_page: entry, exit_page: exit, converted, way: nodes } of ways) {
    way.begin(numberOf(entry));
    for (const [type, value] of nodes) way.take(nodeCode(type, numberOf(value)));
    way.end(numberOf(exit));
    way.isConverted = converted === 1;
    trees.add(numberOf(entry), numberOf(exit), way);
  }
  return trees.entryPaths(request.path_limit);
}

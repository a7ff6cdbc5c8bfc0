import { events } from "./answers";
import { eventsOfGoal, type ModelGoal } from "./goals";
import {
  fieldOf,
  inTime,
  type Model,
  type ModelDays,
  type ModelEvent,
  type ModelSession,
  own,
} from "./model";
import { byCodePoints, distinct, grouped, passiveEvents, rounded, sum } from "./values";

/* Journeys, funnels and paths: the model goes through the events one by one. */

export function journey(model: Model, days: ModelDays, userId: string, limit: number) {
  const user = model.behind(userId);
  const rows = events(model, days, { user_id: user }).slice(0, limit).toReversed();
  const times = model
    .all()
    .filter((event) => event.user === user)
    .map(({ timeMs }) => timeMs);
  const seen = { first_seen: Math.min(...times), last_seen: Math.max(...times) };
  return {
    user_id: userId,
    matched_user_ids: [user],
    count: rows.length,
    events: rows,
    profiles: times.length === 0 ? [] : [{ user_id: user, ...seen }],
  };
}

export interface FunnelQuestion {
  readonly steps: readonly ModelGoal[];
  readonly countBy: "user_id" | "session_id";
  readonly windowMs: number;
  readonly breakdown: string | null;
}

/** The numbers of a funnel; the texts around them are the read's own. */
export function funnel(model: Model, days: ModelDays, question: FunnelQuestion) {
  const { steps, countBy, windowMs, breakdown } = question;
  const inOrder = model.events(days).toSorted(inTime);
  const entityOf = (event: ModelEvent): string | null => fieldOf(event, countBy);
  const matching = steps.map((step) => {
    const reached = eventsOfGoal(model, step, () => [], days.zone);
    return inOrder.filter((one) => reached.has(one));
  });
  const walks = grouped(matching[0], entityOf).flatMap(([entity, [first]]) => {
    if (entity === null) return [];
    const used = [first];
    for (const events of matching.slice(1)) {
      const next = events.find(
        (event) =>
          entityOf(event) === entity &&
          inTime(event, used[used.length - 1]) > 0 &&
          event.timeMs <= first.timeMs + windowMs,
      );
      if (next === undefined) break;
      used.push(next);
    }
    return [used];
  });
  const shown = (event: ModelEvent) =>
    breakdown === null ? null : fieldOf(event, breakdown, days.zone);
  return {
    activity: matching.map((events) => ({
      event_count: events.length,
      unique_users: distinct(events.map(({ user }) => user)),
      sessions: distinct(events.map(({ session }) => session)),
      joinable_entities: distinct(events.map(entityOf)),
    })),
    overall: sums(walks, steps.length),
    groups:
      breakdown === null
        ? []
        : grouped(walks, ([first]) => shown(first))
            .map(([value, list]) => ({ value, ...sums(list, steps.length) }))
            .sort(
              (a, b) =>
                b.users[0] - a.users[0] ||
                (a.value === null ? 1 : b.value === null ? -1 : byCodePoints(a.value, b.value)),
            ),
  };
}

function sums(walks: readonly (readonly ModelEvent[])[], stepCount: number) {
  const steps = Array.from({ length: stepCount }, (_, step) => step);
  return {
    users: steps.map((step) => walks.filter((walk) => walk.length > step).length),
    total_gap_ms: steps.map((step) =>
      sum(
        walks
          .filter((walk) => walk.length > step + 1)
          .map((walk) => walk[step + 1].timeMs - walk[step].timeMs),
      ),
    ),
  };
}

export interface PathsQuestion {
  readonly goal: ModelGoal;
  readonly max_steps: number;
  readonly entry_limit: number;
  readonly path_limit: number;
  readonly candidate_session_cap: number | null;
}
interface Node {
  readonly type: string;
  readonly value: string;
  readonly exit_page?: string | null;
}
interface Walk {
  readonly session: ModelSession;
  readonly nodes: readonly Node[];
  readonly isConverted: boolean;
}

export function entryPaths(model: Model, days: ModelDays, question: PathsQuestion) {
  const withEntry = model.sessions(days).filter(({ entryPage }) => entryPage !== null);
  const entryOf = ({ entryPage }: ModelSession): string => entryPage ?? "";
  const top = grouped(withEntry, entryOf)
    .sort(([a, x], [b, y]) => y.length - x.length || byCodePoints(a, b))
    .slice(0, question.entry_limit)
    .map(([page]) => page);
  const reached = eventsOfGoal(model, question.goal, () => [], days.zone);
  const walks = withEntry
    .filter((session) => top.includes(entryOf(session)))
    .toSorted((a, b) => b.startMs - a.startMs || byCodePoints(b.id, a.id))
    .slice(0, question.candidate_session_cap ?? undefined)
    .map((session) => ({
      session,
      nodes: walk(session, question, reached),
      isConverted: session.events.some((event) => reached.has(event)),
    }));
  return grouped(walks, ({ session }) => entryOf(session))
    .map(([page, list]) => ({
      entry_page: page,
      ...weight(list),
      exit_pages: exitPages(list),
      tree: tree(list, 0, question.path_limit),
    }))
    .sort((a, b) => byWeight(a, b) || byCodePoints(a.entry_page, b.entry_page));
}

function walk(
  session: ModelSession,
  { goal, max_steps: most }: PathsQuestion,
  reached: ReadonlySet<ModelEvent>,
): Node[] {
  const nodes: Node[] = [];
  const end = (type: string): Node[] => [
    ...nodes,
    { type, value: session.exitPage ?? "unknown", exit_page: session.exitPage },
  ];
  for (const event of session.events) {
    const isGoal = reached.has(event);
    const node = isGoal ? goalNode(goal) : nodeOf(event, session.entryPage);
    const last = nodes.at(-1);
    if (node === null || (last?.type === node.type && last.value === node.value)) continue;
    if (nodes.length === most) return end("truncated");
    nodes.push(node);
    if (node.type === "goal") return nodes;
  }
  return end("drop_off");
}

const goalNode = ({ event }: ModelGoal): Node => ({ type: "goal", value: event });

function nodeOf(event: ModelEvent, entryPage: string | null): Node | null {
  if (event.name === "page_view") {
    const path = own(event, "path");
    const isPage = typeof path === "string" && path !== "" && path !== entryPage;
    return isPage ? { type: "page", value: path } : null;
  }
  return passiveEvents.includes(event.name) ? null : { type: "event", value: event.name };
}

const converted = (walks: readonly Walk[]): number =>
  walks.filter(({ isConverted }) => isConverted).length;

function weight(walks: readonly Walk[]) {
  const conversions = converted(walks);
  return {
    sessions: walks.length,
    conversions,
    conversion_rate: rounded(conversions / walks.length, 3),
  };
}
const byWeight = (a: ReturnType<typeof weight>, b: ReturnType<typeof weight>): number =>
  b.sessions - a.sessions || b.conversions - a.conversions;

function exitPages(walks: readonly Walk[]) {
  return grouped(walks, ({ session }) => session.exitPage ?? "unknown")
    .map(([page, list]) => ({
      exit_page: page,
      ...weight(list),
      drop_offs: list.length - converted(list),
      drop_off_rate: rounded((list.length - converted(list)) / list.length, 3),
    }))
    .sort(
      (a, b) =>
        b.sessions - a.sessions ||
        b.drop_offs - a.drop_offs ||
        b.conversions - a.conversions ||
        byCodePoints(a.exit_page, b.exit_page),
    )
    .slice(0, 50);
}

function tree(walks: readonly Walk[], depth: number, limit: number): unknown[] {
  const longer = walks.filter(({ nodes }) => nodes.length > depth);
  return grouped(longer, ({ nodes }) => JSON.stringify(nodes[depth]))
    .map(([json, list]) => {
      const { exit_page: exit, ...node }: Node = JSON.parse(json);
      const children = tree(list, depth + 1, limit);
      return { ...node, ...weight(list), children, ...(exit !== undefined && { exit_page: exit }) };
    })
    .sort((a, b) => byWeight(a, b) || byCodePoints(`${a.type}:${a.value}`, `${b.type}:${b.value}`))
    .slice(0, limit);
}

import { measured, type QueryQuestion } from "./answers";
import { clockAt } from "./clocks";
import { windowOf } from "./filtered";
import { oncePerValue } from "./goal-events";
import { eventsOfGoal, goalNumbers, isOfGoal } from "./goals";
import { labelOf } from "./measures";
import { type Model, type ModelDays, type ModelEvent, passes } from "./model";
import { bucketOf, byLabel, dayMs, grouped } from "./values";

type Row = Record<string, string | number | null>;

/** A query about two periods: each event is told apart by what its time would be called in the first of them. */
export function compared(
  model: Model,
  days: ModelDays,
  previous: ModelDays,
  question: QueryQuestion,
  userId: string | null,
) {
  const { groupBy, metrics, orderBy, order, limit } = question;
  const groupsIn = (period: ModelDays) =>
    new Map(
      grouped(eventsIn(model, period, question, userId), (event) =>
        JSON.stringify(labelsIn(event, groupBy, days, period)),
      ),
    );
  const now = groupsIn(days);
  const before = groupsIn(previous);
  const keys = groupBy.length === 0 ? ["[]"] : [...new Set([...now.keys(), ...before.keys()])];
  const rows = keys.map((key) => {
    const current = numbersOf(model, now.get(key) ?? [], days, question);
    const earlier = numbersOf(model, before.get(key) ?? [], previous, question);
    const labels: (string | number | null)[] = JSON.parse(key);
    const row: Row = {
      ...Object.fromEntries(groupBy.map((name, at) => [name, labels[at]])),
      ...current,
    };
    const change = metrics.map((name) => [name, changeOf(current[name], earlier[name], name)]);
    return { row, shown: { ...row, previous: earlier, change_pct: Object.fromEntries(change) } };
  });
  const sign = order === "asc" ? 1 : -1;
  rows.sort(({ row: a }, { row: b }) => {
    const first = sign * byLabel(a[orderBy], b[orderBy]);
    const rest = groupBy.map((name) => byLabel(a[name], b[name]));
    return [first, ...rest].find((difference) => difference !== 0) ?? 0;
  });
  const shown = rows.slice(0, limit).map((one) => one.shown);
  return {
    ...{ metrics, group_by: groupBy, rows: shown, count: shown.length },
    ...(rows.length > limit && { truncated: true, groups_total: rows.length }),
  };
}

function eventsIn(model: Model, days: ModelDays, question: QueryQuestion, userId: string | null) {
  const person = userId === null ? null : model.behind(userId);
  const { conditions, oncePer } = question;
  const found = model
    .events(days)
    .filter(({ user }) => person === null || user === person)
    .filter((event) => conditions.every((one) => passes(event, one, days.zone)));
  return oncePer === undefined ? found : oncePerValue(found, oncePer);
}

const dateOf = (day: number): string => new Date(day * dayMs).toISOString().slice(0, 10);
const mondayOf = (day: number): number => day - ((((day + 3) % 7) + 7) % 7);
const monthsOf = (day: number): number => {
  const date = new Date(day * dayMs);
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
};

function labelsIn(
  event: ModelEvent,
  groupBy: readonly string[],
  days: ModelDays,
  period: ModelDays,
): (string | number | null)[] {
  const clock = clockAt(event.timeMs, days.zone);
  const place = Math.floor(clock / dayMs) - period.from;
  const isDaily = groupBy.includes("date") || groupBy.includes("hour");
  return groupBy.map((name) => {
    const day = days.from + place;
    if (name === "date") return dateOf(day);
    if (name === "hour") return `${dateOf(day)}${bucketOf(clock, "hour").slice(10)}`;
    if (name === "week" && isDaily) return dateOf(mondayOf(day));
    if (name === "month" && isDaily) return dateOf(day).slice(0, 7);
    if (name === "week") {
      const later = mondayOf(period.from + place) - mondayOf(period.from);
      return dateOf(mondayOf(days.from) + later);
    }
    if (name === "month") {
      const months = monthsOf(days.from) + monthsOf(period.from + place) - monthsOf(period.from);
      return new Date(Date.UTC(Math.floor(months / 12), months % 12, 1)).toISOString().slice(0, 7);
    }
    return labelOf(event, name, days.zone);
  });
}

function numbersOf(
  model: Model,
  members: readonly ModelEvent[],
  days: ModelDays,
  { metrics, countMode, goal }: QueryQuestion,
): Record<string, number | null> {
  const ids = new Set(members.map(({ session }) => session));
  const judged = model.allSessions().filter(({ id }) => ids.has(id));
  const reached = eventsOfGoal(model, goal, windowOf(model, days), days.zone);
  const converted = judged.filter(({ events }) => events.some((one) => reached.has(one)));
  const ofGoal = goalNumbers(goal, judged, reached);
  return Object.fromEntries(
    metrics.map((name) => [
      name,
      isOfGoal(name) ? ofGoal[name] : measured(name, countMode, members, { judged, converted }),
    ]),
  );
}

function changeOf(now: number | null, before: number | null, metric: string): number | null {
  if (now === null || before === null) return null;
  if (before === 0) return now === 0 ? 0 : null;
  const isRate = metric.endsWith("_rate");
  const change = isRate ? Math.round((now - before) * 1_000) / 1_000 : now - before;
  const percent = Math.round((change / before) * 100);
  return Number.isFinite(percent) ? percent : null;
}

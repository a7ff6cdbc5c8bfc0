import { inTime, isOn, type Model, type ModelDays, type ModelEvent } from "./model";
import { sessionFieldOf } from "./session-fields";
import { byCodePoints, date, dayMs, grouped, rounded, sum } from "./values";
import { visitorFieldOf } from "./visitor-fields";

/** The answer of /retention, field by field, without `project`. */

export interface RetentionQuestion {
  readonly period: "day" | "week" | "month";
  readonly periods: readonly ModelDays[];
  readonly event: string | null;
  readonly returningEvent: string | null;
  readonly today: number;
  /** A field of visitors, or `country`. */
  readonly breakdown: { readonly field: string; readonly limit: number } | null;
}

/** A user was there: with an event, or in a session that began, of which this is the first event. */
interface Appearance {
  readonly user: string;
  readonly timeMs: number;
  readonly event: ModelEvent;
}

export function retention(model: Model, question: RetentionQuestion) {
  const { period, event, returningEvent, breakdown } = question;
  const first = new Map<string, Appearance>();
  for (const one of event === null ? starts(model) : activity(model, event)) {
    if (!first.has(one.user)) first.set(one.user, one);
  }
  const isOfSessions = event === null && returningEvent === null;
  const active = isOfSessions ? starts(model) : activity(model, returningEvent);
  const all = [...first.values()];
  const { users, ...whole } = cohortsOf(all, active, question);
  const answer = { period, ...whole, users_analyzed: users };
  if (breakdown === null) return answer;
  const { field, limit } = breakdown;
  const { zone } = question.periods[0];
  const groups = grouped(all, ({ event: of }) => valueAt(of, field, zone))
    .map(([value, some]) => ({ value, ...cohortsOf(some, active, question) }))
    .filter((group) => group.users > 0)
    .sort((a, b) => b.users - a.users || inOrder(a.value, b.value));
  return { ...answer, breakdowns: groups.slice(0, limit), breakdowns_total: groups.length };
}

const inOrder = (a: string | null, b: string | null): number =>
  a === null || b === null ? Number(a === null) - Number(b === null) : byCodePoints(a, b);

function valueAt(event: ModelEvent, field: string, zone?: string): string | null {
  if (field !== "country") return visitorFieldOf(event, field, zone);
  return event.session === null ? event.country : sessionFieldOf(event.beside(), "session.country");
}

function cohortsOf(
  first: readonly Appearance[],
  active: readonly Appearance[],
  { periods, today }: RetentionQuestion,
) {
  const cohorts = periods.flatMap((own, index) => {
    const users = first.filter(({ timeMs }) => isOn(timeMs, own)).map(({ user }) => user);
    if (users.length === 0) return [];
    const retained = periods.slice(index).map((later, offset) => {
      const back = new Set(
        active.filter(({ timeMs }) => isOn(timeMs, later)).map(({ user }) => user),
      );
      return offset === 0 ? users.length : users.filter((user) => back.has(user)).length;
    });
    const rates = retained.map((count) => rounded(count / users.length, 3));
    const complete = retained.filter((_, offset) => periods[index + offset].to < today).length;
    return [{ date: date(own.from * dayMs), users: users.length, retained, rates, complete }];
  });
  const offsets = Math.max(0, ...cohorts.map(({ complete }) => complete));
  return {
    users: sum(cohorts.map(({ users }) => users)),
    cohorts,
    average_rates: Array.from({ length: offsets }, (_, offset) => {
      const having = cohorts.filter(({ complete }) => complete > offset);
      const back = sum(having.map(({ retained }) => retained[offset]));
      return rounded(back / sum(having.map(({ users }) => users)), 3);
    }),
  };
}

/** When users began sessions, the earliest first. The event is the session's, as one of the user to whom it belongs. */
const starts = (model: Model): Appearance[] =>
  model
    .visits()
    .toSorted((a, b) => a.startMs - b.startMs || byCodePoints(a.id, b.id))
    .flatMap(({ user, startMs: timeMs, events: [event] }) =>
      user === null ? [] : [{ user, timeMs, event: { ...event, user } }],
    );

/** When users had an event of a name, or any, the earliest first. */
const activity = (model: Model, name: string | null): Appearance[] =>
  model
    .all()
    .filter((event) => name === null || event.name === name)
    .toSorted(inTime)
    .flatMap((event) =>
      event.user === null ? [] : [{ user: event.user, timeMs: event.timeMs, event }],
    );

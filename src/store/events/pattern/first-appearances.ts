import type { RetentionBreakdown, RetentionRequest } from "../../../domain/counting";
import { eventConditions } from "../../../domain/filter";
import { allTime } from "../../../domain/period";
import type { TimeWindow } from "../../../domain/time-window";
import { isUserField } from "../../../domain/visitor-field";
import { sessionsWith } from "../aggregate/session-filter";
import { topValues } from "../aggregate/top-values";
import type { Context } from "../filter/context";
import { Filter } from "../filter/filter";
import type { Segment } from "../segment/segment";
import type { SessionValues } from "../session/field-values";
import { FirstSessions } from "../session/first-sessions";
import { numbersIn } from "../session/session-numbers";
import type { Sessions } from "../session/sessions";
import { visitField } from "../session/visit-field";
import { valuesPerCheck } from "../sets/budget";
import { OutermostRow } from "../sets/outermost-row";
import { firstPeriodOf } from "./periods";
import { nextOfStep } from "./step-rows";

export type GroupedRequest = RetentionRequest & { readonly breakdown: RetentionBreakdown };

/** The periods in which users appeared, and the window of all periods. Users who appeared before it are not new. */
export interface Appearances {
  readonly window: TimeWindow;
  /** By user, as bits. */
  readonly appeared: Uint32Array;
}

/** New users by the value of a field at their first appearance. */
export interface GroupedUsers {
  /** The values that the answer shows: most users first, then by value, null last. */
  readonly values: readonly (string | null)[];
  /** The number of all values. */
  readonly total: number;
  /** Returns the place of a user's value in `values`; −1 for another value. */
  groupOf(user: number): number;
}

/** Cost: a pass over the users, and one over the sessions or events that have their values. */
export function groupUsers(
  context: Context,
  all: readonly Segment[],
  request: GroupedRequest,
  appearances: Appearances,
): GroupedUsers {
  const { budget } = context;
  const { appeared } = appearances;
  const { texts, numberOf } = valuesOfUsers(context, all, request, appearances);
  const counts = budget.words(texts.count + 1);
  for (let user = 1; user < appeared.length; user++) {
    if (user % valuesPerCheck === 0) context.check();
    if (firstPeriodOf(appeared[user]) >= 0) counts[numberOf(user)]++;
  }
  const { top, total } = topValues(counts, texts, request.breakdown.limit, budget);
  budget.giveBack(counts.byteLength);
  const places = new Map(top.map(({ number }, place) => [number, place]));
  return {
    values: top.map(({ value }) => value),
    total,
    groupOf: (user) => places.get(numberOf(user)) ?? -1,
  };
}

type Texts = Pick<SessionValues, "count" | "text" | "byteAt">;
/** The values of users as numbers: texts have numbers from 1, and 0 is null. */
interface ValuesOfUsers {
  readonly texts: Texts;
  readonly numberOf: (user: number) => number;
}

/** A user has one value of a field of users; another field has the value of the session in which the user appeared. */
function valuesOfUsers(
  context: Context,
  all: readonly Segment[],
  request: GroupedRequest,
  appearances: Appearances,
): ValuesOfUsers {
  const { event, filters = [], breakdown } = request;
  const { field, zone } = breakdown;
  const sessions = context.tables.sessions(all, allTime);
  if (sessions === null) throw new Error("A project with segments has a table of sessions.");
  const identity = context.identity(all[0].projectId);
  const ofSessions = field === "country" ? "session.country" : field;
  const { values } = visitField(sessions, ofSessions, identity, zone);
  if (event !== null && !isUserField(field))
    return valuesAtEvents(context, all, { sessions, values }, request, appearances);
  const firsts =
    isUserField(field) || filters.length === 0
      ? sessions.firstOfUsers(identity)
      : new FirstSessions(
          sessions,
          identity,
          context,
          sessionsWith(context, sessions, all, { ...allTime, filters }),
        );
  return {
    texts: values,
    numberOf: (user) => {
      const first = firsts.ofUser(user);
      return first === 0 ? 0 : values.numberOf(first);
    },
  };
}

/** The table of all sessions, and the values of a field that they have. */
interface ValuedSessions {
  readonly sessions: Sessions;
  readonly values: SessionValues;
}

/** A user has the value of the session of the first event. A first event without a session has its own country. */
function valuesAtEvents(
  context: Context,
  all: readonly Segment[],
  { sessions, values }: ValuedSessions,
  { event, filters = [], breakdown: { field } }: GroupedRequest,
  { window, appeared }: Appearances,
): ValuesOfUsers {
  const { budget } = context;
  const identity = context.identity(all[0].projectId);
  const filter = new Filter(context, [...eventConditions(event), ...filters], identity);
  const countries = new Countries(values);
  const numbers = budget.words(appeared.length);
  const earliest = new OutermostRow(appeared.length, "first", budget, (_, row) => row);
  for (const segment of all) {
    const selection = filter.select(segment, window);
    if (selection.isNone) continue;
    const { visits, test } = selection;
    const { firstRows } = segment;
    const users = identity.usersOf(segment);
    const sessionOf = numbersIn(sessions, segment);
    for (let v = 0; v < users.length; v++) {
      if (visits[v] === 0 || firstPeriodOf(appeared[users[v]]) < 0) continue;
      const row = nextOfStep(test, firstRows[v], firstRows[v + 1]);
      const timeMs = segment.timeAt(row);
      if (!earliest.moves(users[v], { segment, visit: row, fromMs: timeMs, toMs: timeMs }))
        continue;
      const session = sessionOf?.[v] ?? 0;
      if (session !== 0) numbers[users[v]] = values.numberOf(session);
      else numbers[users[v]] = field === "country" ? countries.numberAt(segment, row) : 0;
    }
  }
  earliest.release();
  return { texts: countries, numberOf: (user) => numbers[user] };
}

/** The values of sessions, followed by the countries that only events without a session have. */
class Countries implements Texts {
  private readonly more: string[] = [];
  private readonly numbers: Map<string, number>;

  constructor(private readonly values: SessionValues) {
    const numbers = Array.from({ length: values.count }, (_, index) => index + 1);
    this.numbers = new Map([
      ["", 0],
      ...numbers.map((number) => [values.text(number), number] as const),
    ]);
  }
  get count(): number {
    return this.values.count + this.more.length;
  }
  text(number: number): string {
    const { values, more } = this;
    return number <= values.count ? values.text(number) : more[number - values.count - 1];
  }
  byteAt(number: number, place: number): number {
    const { values } = this;
    if (number <= values.count) return values.byteAt(number, place);
    return Buffer.from(this.text(number))[place] ?? -1;
  }
  /** Returns the number of an event's own country. */
  numberAt(segment: Segment, row: number): number {
    const code = segment.codes("event.country")?.[row] ?? 0;
    const text = code === 0 ? null : segment.dictionary("event.country")[code - 1];
    if (typeof text !== "string") return 0;
    const number = this.numbers.get(text) ?? this.values.count + this.more.push(text);
    this.numbers.set(text, number);
    return number;
  }
}

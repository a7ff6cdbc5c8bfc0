import type { RetentionBreakdown, RetentionRequest } from "../../../domain/counting";
import { allTime } from "../../../domain/period";
import type { TimeWindow } from "../../../domain/time-window";
import { isUserField, sessionVisitor } from "../../../domain/visitor-field";
import { compareText } from "../../../lib/text";
import { sessionsWith } from "../aggregate/session-filter";
import type { Context } from "../filter/context";
import type { Identity } from "../scan/identity";
import type { Segment } from "../segment/segment";
import type { SessionValues } from "../session/kept-values";
import { numbersIn } from "../session/session-numbers";
import type { Sessions } from "../session/sessions";
import { toldBySessions } from "../session/told-by-sessions";
import { valuesPerCheck } from "../sets/budget";
import { ExtremeEvent } from "../sets/extreme-event";
import { mostFrequent } from "../sets/largest";
import { eachFirstRow } from "./user-activity";

export type GroupedRequest = RetentionRequest & { readonly breakdown: RetentionBreakdown };

/** The users whose first appearance is within a window. */
export interface NewUsers {
  readonly window: TimeWindow;
  /** All numbers of users are below this. */
  readonly limit: number;
  has(user: number): boolean;
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

/** Cost: one or two passes over the users, and one over the sessions or events that have their values. */
export function groupUsers(
  context: Context,
  all: readonly Segment[],
  request: GroupedRequest,
  users: NewUsers,
): GroupedUsers {
  const { budget } = context;
  const values = valuesOf(context, all, request, users);
  const counts = budget.words(values.count + 1);
  for (let user = 1; user < users.limit; user++) {
    if (user % valuesPerCheck === 0) context.check();
    if (users.has(user)) counts[values.numberOf(user)]++;
  }
  let total = 0;
  for (const count of counts) if (count > 0) total++;
  const textOfValue = (number: number) => (number === 0 ? null : values.text(number));
  // No text begins with this byte, so that null comes after all of them.
  const byteAt = (number: number, place: number) =>
    number === 0 ? 255 : values.byteAt(number, place);
  const shown = mostFrequent(counts, request.breakdown.limit, byteAt, budget)
    .map((number) => ({ number, value: textOfValue(number), count: counts[number] }))
    .sort((a, b) => b.count - a.count || compareValues(a.value, b.value));
  budget.giveBack(counts.byteLength);
  const places = new Map(shown.map(({ number }, place) => [number, place]));
  return {
    values: shown.map(({ value }) => value),
    total,
    groupOf: (user) => places.get(values.numberOf(user)) ?? -1,
  };
}

/** Ascending, null last. */
const compareValues = (a: string | null, b: string | null): number =>
  a === null || b === null ? Number(a === null) - Number(b === null) : compareText(a, b);

/** The values of a field at the first appearances of users. Texts have numbers from 1; 0 is null. */
interface Values {
  /** The number of texts. */
  readonly count: number;
  numberOf(user: number): number;
  text(number: number): string;
  byteAt(number: number, place: number): number;
}

/** A user has one value of a field of users; other fields have the value of the session, or of an event without one. */
function valuesOf(
  context: Context,
  all: readonly Segment[],
  request: GroupedRequest,
  users: NewUsers,
): Values {
  const { field, zone } = request.breakdown;
  const sessions = context.tables.sessions(all, allTime);
  if (sessions === null) throw new Error("A project with segments has a table of sessions.");
  const identity = context.identity(all[0].projectId);
  if (!isUserField(field)) return new ValuesOfAppearances(context, sessions, all, request, users);
  const firsts = sessions.firstOfUsers(identity);
  const { values } = toldBySessions(sessions, field, identity, zone);
  return {
    count: values.count,
    numberOf: (user) => {
      const first = firsts.ofUser(user);
      return first === 0 ? 0 : values.numberOf(first);
    },
    text: (number) => values.text(number),
    byteAt: (number, place) => values.byteAt(number, place),
  };
}

/** The countries, or the kinds of sessions, at the first appearances: few different texts. */
class ValuesOfAppearances implements Values {
  private readonly texts = [""];
  private readonly bytes = [Buffer.alloc(0)];
  private readonly numbers = new Map([["", 0]]);
  /** Index = user. */
  private readonly of: Uint32Array;
  private readonly values: SessionValues;
  /** By the number of a session's value, the number here plus 1; 0 for a value that was not looked up. */
  private readonly known: Uint32Array;

  constructor(
    private readonly context: Context,
    private readonly sessions: Sessions,
    private readonly all: readonly Segment[],
    private readonly request: GroupedRequest,
    private readonly users: NewUsers,
  ) {
    const { field } = request.breakdown;
    const { budget } = context;
    this.values =
      field === sessionVisitor
        ? sessions.firstOfUsers(this.identity)
        : sessions.values.of("session.country");
    this.known = budget.words(this.values.count + 1);
    this.of = budget.words(users.limit);
    if (request.event === null) this.readSessions();
    else this.readEvents(request.event);
  }

  get count(): number {
    return this.texts.length - 1;
  }
  numberOf(user: number): number {
    return this.of[user];
  }
  text(number: number): string {
    return this.texts[number];
  }
  byteAt(number: number, place: number): number {
    return this.bytes[number][place] ?? -1;
  }

  private get identity(): Identity {
    return this.context.identity(this.all[0].projectId);
  }
  /** Cost: a pass over the sessions, and a comparison of ids if two sessions of a user began at the same time. */
  private readSessions(): void {
    const { context, sessions, users, identity } = this;
    const { filters = [] } = this.request;
    const matching = sessionsWith(context, sessions, this.all, { ...allTime, filters });
    const firsts = context.budget.words(users.limit);
    for (let n = 1; n <= sessions.count; n++) {
      if (n % valuesPerCheck === 0) context.check();
      if (matching !== null && matching[n] === 0) continue;
      const user = sessions.userOf(n, identity);
      if (users.has(user) && isEarlier(sessions, n, firsts[user])) firsts[user] = n;
    }
    for (let user = 1; user < users.limit; user++) {
      if (firsts[user] !== 0) this.of[user] = this.ofSession(firsts[user]);
    }
    context.budget.giveBack(firsts.byteLength);
  }
  private readEvents(event: string): void {
    const { context, all, users } = this;
    const { filters = [], breakdown } = this.request;
    const earliest = new ExtremeEvent(users.limit, "earliest", context.budget);
    const { window } = users;
    eachFirstRow(context, all, { ...window, filters }, event, (user, { segment, visit, row }) => {
      if (!users.has(user) || !earliest.moves(user, segment.timeAt(row), segment, row)) return;
      const session = numbersIn(this.sessions, segment)?.[visit] ?? 0;
      if (session !== 0) this.of[user] = this.ofSession(session);
      else this.of[user] = breakdown.field === "country" ? this.ofCountry(segment, row) : 0;
    });
    earliest.release();
  }

  private ofSession(session: number): number {
    const value = this.values.numberOf(session);
    if (value === 0) return 0;
    if (this.known[value] === 0) this.known[value] = 1 + this.numberOfText(this.values.text(value));
    return this.known[value] - 1;
  }
  private ofCountry(segment: Segment, row: number): number {
    const code = segment.codes("event.country")?.[row] ?? 0;
    const value = code === 0 ? null : segment.dictionary("event.country")[code - 1];
    return typeof value === "string" ? this.numberOfText(value) : 0;
  }
  private numberOfText(text: string): number {
    const known = this.numbers.get(text);
    if (known !== undefined) return known;
    this.numbers.set(text, this.texts.length);
    this.bytes.push(Buffer.from(text));
    return this.texts.push(text) - 1;
  }
}

/** Tells whether a session is earlier than another one; the other may be 0, which is no session. */
function isEarlier(sessions: Sessions, session: number, other: number): boolean {
  const { start } = sessions;
  if (other === 0 || start[session] !== start[other]) {
    return other === 0 || start[session] < start[other];
  }
  return compareText(sessions.idOf(session), sessions.idOf(other)) < 0;
}

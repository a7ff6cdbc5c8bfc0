import type { CountRequest } from "../../../../domain/counting";
import { goalMetrics } from "../../../../domain/metric";
import { isSessionField } from "../../../../domain/session-field";
import type { Selection } from "../../scan/selection";
import { valuesPerCheck } from "../budget";
import type { Context } from "../context";
import type { Identity } from "../identity";
import type { SessionValues } from "../sessions/kept-values";
import { numbersIn } from "../sessions/session-numbers";
import type { Sessions } from "../sessions/sessions";
import { toldBySessions } from "../sessions/told-by-sessions";
import { Bitmap } from "../sets/bitmap";
import { DistinctPerGroup } from "../sets/distinct";
import type { Label, Labels } from "./label";
import type { CountedGroups } from "./ranking";
import type { Reached } from "./reached";
import { SessionValueLabels } from "./session-labels";
import { SessionSums } from "./session-sums";
import { Sums } from "./sums";
import { rowsOfVisit } from "./visit-counting";

const countedPerVisit: ReadonlySet<string> = new Set([
  ...["event_count", "unique_users", "session_count", "bounce_rate", "avg_duration"],
  ...goalMetrics,
]);

/**
 * Counts grouped by nothing but a field of sessions. A session has one value, so each is counted once whatever its
 * group, and single rows need no look. Group 0 has the sessions without a value, and what is in no session. Cost: one
 * pass over the visits.
 */
export function sessionValueCounting(
  request: CountRequest,
  context: Context,
  identity: Identity,
  sessions: Sessions | null,
  reached: Reached | null,
): SessionValueCounting | null {
  const [field, ...more] = request.group_by;
  const isPlain = more.length === 0 && request.skip_null !== true;
  if (!isPlain || sessions === null || !isSessionField(field)) return null;
  if (!request.metrics.every((metric) => countedPerVisit.has(metric))) return null;
  const told = toldBySessions(sessions, field, identity, undefined);
  const labels = new SessionValueLabels(context, told);
  const { values } = told;
  return new SessionValueCounting(request, context, identity, sessions, {
    labels,
    values,
    reached,
  });
}

interface OfField {
  readonly labels: Labels;
  readonly values: SessionValues;
  readonly reached: Reached | null;
}

class SessionValueCounting implements CountedGroups {
  private readonly rows: Sums;
  private readonly sums: SessionSums;
  private readonly users: DistinctPerGroup;
  private readonly seen: Bitmap;
  /** The users of group 0. */
  private readonly usersInSessions = new Bitmap();
  private readonly usersOutside = new Bitmap();
  private rowsOfNobody = 0;
  private readonly wantsUsers: boolean;
  private readonly isSessionThenUser: boolean;

  constructor(
    { metrics, count_mode: mode }: CountRequest,
    private readonly context: Context,
    private readonly identity: Identity,
    private readonly sessions: Sessions,
    private readonly field: OfField,
  ) {
    const { budget } = context;
    this.rows = new Sums(budget);
    this.sums = new SessionSums(budget, metrics, field.reached);
    this.wantsUsers = metrics.includes("unique_users");
    const usersMax = this.wantsUsers ? identity.numberLimit : 0;
    this.users = new DistinctPerGroup(budget, usersMax, context.sparePlanes);
    this.seen = new Bitmap(sessions.count + 1);
    this.isSessionThenUser = mode === "session_then_user" && metrics.includes("event_count");
  }

  add(selection: Selection): void {
    const { segment } = selection;
    const { context, wantsUsers } = this;
    const { values } = this.field;
    const { visitCount } = segment;
    const countOf = rowsOfVisit(selection);
    const numbers = numbersIn(this.sessions, segment) ?? new Uint32Array(0);
    const needsUsers = wantsUsers || this.isSessionThenUser;
    const users = needsUsers ? this.identity.usersOf(segment) : null;
    for (let v = 0; v < visitCount; v++) {
      if (v % valuesPerCheck === 0) context.check();
      const count = countOf(v);
      if (count === 0) continue;
      // A segment in which nobody has a session has no numbers.
      const session = numbers.length === 0 ? 0 : numbers[v];
      const group = session === 0 ? 0 : values.numberOf(session);
      const user = users === null ? 0 : users[v];
      this.rows.add(group, count);
      if (wantsUsers && user !== 0) this.users.add(group, user);
      if (session === 0) this.addOutside(user, count);
      else this.addSession(group, session, user);
    }
  }
  private addSession(group: number, session: number, user: number): void {
    if (group === 0 && user !== 0) this.usersInSessions.add(user);
    if (this.seen.add(session)) this.sums.add(group, session, this.sessions);
  }
  private addOutside(user: number, count: number): void {
    if (user === 0) this.rowsOfNobody += count;
    else this.usersOutside.add(user);
  }

  end(): void {
    this.users.handBack();
  }
  members(): Uint32Array {
    return this.rows.members();
  }
  label(group: number): Label {
    return this.field.labels.label(group);
  }
  firstByLabel(groups: Uint32Array, limit: number): readonly number[] {
    return [...this.field.labels.first(groups, limit)];
  }
  value(group: number, metric: string): number | null {
    if (metric === "unique_users") return this.users.count(group);
    if (metric !== "event_count") return this.sums.value(group, metric);
    if (!this.isSessionThenUser) return this.rows.of(group);
    const sessions = this.sums.count.of(group);
    return group === 0 ? sessions + this.lonely : sessions;
  }
  /** Users whose rows in group 0 all lack a session, and rows with neither. */
  private get lonely(): number {
    return this.usersOutside.countWithout(this.usersInSessions) + this.rowsOfNobody;
  }
}

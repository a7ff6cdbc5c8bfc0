import { allTime } from "../../../domain/period";
import type { SessionField } from "../../../domain/session-field";
import { firstSessionField, type UserField } from "../../../domain/visitor-field";
import type { Bound } from "./bound";
import { localMs } from "./local-time";
import type { OpenRead } from "./open-read";
import { columnNamed, earliest, sessionsSql } from "./sessions";

/** The columns of an event with the fields of the earliest stored session of its user. */
export class FirstSessions {
  private readonly fields: SessionField[] = [];
  /** Expressions over a row of the join, by the names of their columns. */
  private readonly columns = new Map<string, string>();

  constructor(
    private readonly read: OpenRead,
    private readonly bound: Bound,
    private readonly projectId: string,
  ) {}

  /** Returns the column that holds a field, '' where there is no such session; `zone` is that of a date. */
  column(field: UserField, zone: string | undefined): string {
    const ofSession = firstSessionField(field);
    const value = ofSession === null ? dateOf(zone) : `first_session.${this.fieldNamed(ofSession)}`;
    const known = [...this.columns].find(([, expression]) => expression === value);
    if (known !== undefined) return known[0];
    const name = `first_${this.columns.size}`;
    this.columns.set(name, value);
    return name;
  }
  /** Returns the events with these columns. Each join is a select of its own, as columns would get other names. */
  joined(events: string): string {
    if (this.columns.size === 0) return events;
    const { read, bound, projectId, fields } = this;
    const sessions = sessionsSql(read, bound, { projectId, window: allTime, fields });
    const values = fields.map(
      (_, index) => `argMin(${columnNamed(index)}, ${earliest}) as ${foundNamed(index)}`,
    );
    const shown = [...this.columns].map(([name, value]) => `${value} as ${name}`);
    return `(select event.*, ${shown.join(", ")} from ${events} as event
      left any join (select user, ${["min(start) as began", "1 as is_there", ...values].join(", ")}
        from ${sessions} where user != '' group by user) as first_session on first_session.user = event.user)`;
  }

  private fieldNamed(field: SessionField): string {
    if (!this.fields.includes(field)) this.fields.push(field);
    return foundNamed(this.fields.indexOf(field));
  }
}

/** An aggregate needs a name of its own: ClickHouse would mistake the name of its column for the aggregate. */
const foundNamed = (index: number): string => `found_${index}`;

const dateOf = (zone: string | undefined): string => {
  const local = localMs(allTime, zone, "toUnixTimestamp64Milli(first_session.began)");
  return `if(first_session.is_there = 1, toString(toDate(fromUnixTimestamp64Milli(${local}, 'UTC'))), '')`;
};

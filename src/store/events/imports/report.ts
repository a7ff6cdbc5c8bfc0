import { statSync } from "node:fs";
import { retentionKind } from "../../../domain/day-row";
import { dayOf, isoDate } from "../../../domain/event";
import {
  type ImportReport,
  type ReportedDifference,
  type ReportedEventDay,
  type RowFate,
  rowFates,
} from "../../../domain/import-report";
import { earliest, shownDays, spanOf } from "../../../domain/shown-days";
import { timeZoneOf } from "../../../domain/time-zone";
import type { FileRows, ImportWork } from "../../imports";
import type { Snapshot, View } from "../../questions";
import { questionsOf } from "../questions/questions";
import { openSnapshots } from "../read/snapshot";
import type { Basis } from "./basis";
import { checkedPath } from "./checked-note";
import type { DayTable } from "./day-table";
import type { Tally, WholeFile } from "./tally";

const cacheBytes = 8 * 1024 * 1024;
/** The number of events that the report names, the most frequent first. */
const eventsNamedMax = 20;

interface ReportParts {
  readonly work: ImportWork;
  readonly rows: Pick<FileRows, "kind" | "becomes" | "caveats" | "files"> & {
    /** The files of an archive that the import skipped. */
    readonly unread: readonly string[];
  };
  readonly tally: Tally;
  readonly whole: WholeFile;
  readonly events: number;
  readonly days: DayTable;
  readonly basis: Basis;
  /** The earliest event that retention of another server has deleted; null where the file names none. */
  readonly firstDeletedMs: number | null;
}

export interface CountedReport {
  readonly report: ImportReport;
  /** The time of the first event that a commit stores. */
  readonly firstMs: number | null;
}

/** The events that a checked file would add to its project, as reads count them. */
export async function reportOf(parts: ReportParts): Promise<CountedReport> {
  const { work, rows, tally, whole, events } = parts;
  const path = checkedPath(work.folder);
  const { firstMs, ...counted } = events === 0 ? nothing : await countIn(path, work);
  const days = parts.days.dates();
  const { excluded, ...fates } = tally.fates;
  const report: ImportReport = {
    format: rows.kind,
    becomes: rows.becomes,
    rows: { ...fates, ...(excluded > 0 && { excluded }) },
    timezone: work.zone,
    ...counted,
    ...spanWith(
      counted,
      days.map(({ date }) => date),
    ),
    by_day: events === 0 ? parts.days.totals() : counted.by_day,
    refusals: tally.refusals(),
    differences: [
      ...rowFates.flatMap((fate) => differenceOf(fate, tally.fates[fate])),
      ...differing("users", whole.users, counted.users),
      ...differing("sessions", whole.sessions, counted.sessions),
      ...differing("page_views", whole.pageViews, counted.page_views),
      ...unreadFiles(rows),
    ],
    hidden_days: hiddenDays(days, parts, firstMs),
    bytes_needed: events === 0 ? 0 : statSync(path).size,
    caveats: rows.caveats,
  };
  return { report, firstMs };
}

type Counted = Pick<
  ImportReport,
  "from" | "to" | "users" | "sessions" | "page_views" | "by_event" | "by_day"
> & {
  /** The time of the first event. */
  readonly firstMs: number | null;
};

/** The first and the last date of events and days together. */
function spanWith({ from, to }: Pick<Counted, "from" | "to">, dates: readonly string[]) {
  const all = [from, to, ...dates].filter((date) => date !== null).sort();
  return { from: all[0] ?? null, to: all.at(-1) ?? null };
}

function hiddenDays(
  dates: ReturnType<DayTable["dates"]>,
  { work, basis, firstDeletedMs }: ReportParts,
  firstMs: number | null,
): number {
  const days = dates.map(({ date, kind }) => ({
    day: dayOf(Date.parse(date)),
    isRetention: kind === retentionKind,
  }));
  const known = { days, firstEventMs: earliest(work.firstEventMs, firstDeletedMs) };
  const stored = {
    first_event_at: earliest(basis.firstEventMs, firstMs),
    first_own_at: basis.firstOwnMs,
  };
  const shown = shownDays(days, spanOf({ ...known, zone: work.zone }, stored));
  return days.length - shown.length;
}

const nothing: Counted = {
  ...{ from: null, to: null, users: 0, sessions: 0, page_views: 0, by_event: [], by_day: [] },
  firstMs: null,
};

async function countIn(file: string, { projectId, zone }: ImportWork): Promise<Counted> {
  const snapshots = openSnapshots(file, cacheBytes, () => false);
  try {
    return await snapshots.within(async (snapshot) => {
      const questions = questionsOf(snapshot);
      const { first_event_at, last_event_at } = await questions.storedEvents(projectId);
      const [fromMs, lastMs] = [first_event_at ?? 0, last_event_at ?? 0];
      const view = { projectId, fromMs, toMs: lastMs + 1, zone };
      const totals = await totalsOf(questions, view);
      const days = await daysOf(questions, view);
      const named = await questions.countBy(view, {
        group_by: ["event"],
        metrics: ["event_count"],
        limit: eventsNamedMax,
      });
      const dates = timeZoneOf(zone);
      return {
        firstMs: first_event_at,
        from: isoDate(dates.dayAt(fromMs)),
        to: isoDate(dates.dayAt(lastMs)),
        ...totals,
        by_event: named.rows.map(({ event, event_count: count }) => ({ event, count })),
        by_day: days,
      };
    });
  } finally {
    snapshots.close();
  }
}

async function totalsOf(questions: Snapshot, view: View) {
  const { rows } = await questions.countBy(view, {
    group_by: [],
    metrics: ["unique_users", "session_count", "page_views"],
    always_one_row: true,
  });
  const [{ unique_users: users, session_count: sessions, page_views } = none] = rows;
  return { users, sessions, page_views };
}
const none = { unique_users: 0, session_count: 0, page_views: 0 };

async function daysOf(questions: Snapshot, view: View): Promise<ReportedEventDay[]> {
  const { rows } = await questions.countBy(view, {
    group_by: ["date"],
    metrics: ["event_count", "page_views", "unique_users", "session_count"],
    order_by: "date",
    order: "asc",
  });
  return rows.map(({ date, event_count: events, page_views, unique_users, session_count }) => ({
    ...{ date, events, page_views, users: unique_users, sessions: session_count },
  }));
}

/** The reasons not to store rows, by fate. */
const reasons: Readonly<Record<Exclude<RowFate, "stored">, string>> = {
  duplicates: "The file has the same rows before, or the project has them already.",
  overlap:
    "The project has this itself: events from that time on, sums of the date, a link, or a context.",
  older: "The project does not keep events of this age.",
  folded: "The project does not keep events of this age: they are counted in days.",
  unsupported: "These rows are no events.",
  refused: "These rows break a rule; `refusals` says which.",
  excluded: "These rows are of ids that an erasure has blocked.",
};

const differenceOf = (fate: RowFate, count: number): ReportedDifference[] =>
  fate === "stored" || count === 0
    ? []
    : [{ what: fate, file: count, stored: 0, why: reasons[fate] }];

const differing = (what: string, file: number, stored: number): ReportedDifference[] =>
  file === stored ? [] : [{ what, file, stored, why: "Rows that are not stored had the others." }];

/** The most names of files in a report, and the most characters of each. */
const namesMax = 5;
const nameCharsMax = 64;

/** The files of an archive that are not of its kind. */
function unreadFiles({ files, unread }: ReportParts["rows"]): ReportedDifference[] {
  if (unread.length === 0) return [];
  const names = unread
    .slice(0, namesMax)
    .map((name) => JSON.stringify(name.slice(0, nameCharsMax)));
  const others = unread.length - names.length;
  const all = others > 0 ? [...names, `${others} more`] : names;
  const why = `The import skipped the files ${all.join(", ")}: exports of this kind have no such file.`;
  return [{ what: "files", file: files, stored: files - unread.length, why }];
}

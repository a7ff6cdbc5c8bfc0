import { sentencesOf } from "../../domain/changes/sentences";
import { isoDate } from "../../domain/event";
import { type Days, datesOf, windowOf } from "../../domain/period";
import { idleFrom, type ReportPeriods } from "../../domain/reports/periods";
import { storedFilterItems } from "../../domain/stored-filters";
import { timeZoneOf } from "../../domain/time-zone";
import { clock } from "../../lib/clock";
import { type ReportNumbers, type ReportRow, reportRead } from "../../reads/report";
import type { Control } from "../../store/control/control";
import type { ReportRow as Report } from "../../store/control/report-tables";
import type { ProjectRow } from "../../store/control/tables";
import type { EventStore } from "../../store/port";
import { ownRead } from "../own-read";

/** The longest value of a visitor in a report: those of all lists together fit into a webhook's body. */
const valueCharsMax = 512;

interface Parts {
  readonly control: Control;
  readonly store: EventStore;
}
export type ReportData = Awaited<ReturnType<typeof reportData>>["data"];

/** Makes the content of a report: its numbers, and what the control database knows of the period. */
export async function reportData(
  { control, store }: Parts,
  project: ProjectRow,
  report: Pick<Report, "every" | "filters" | "createdAtMs">,
  { current, previous }: ReportPeriods,
  url: string,
) {
  const { every } = report;
  const context = control.contexts.ofProject(project.id);
  const found: ReportNumbers = await ownRead({ control, store, project }, reportRead, {
    ...{ projectId: project.id, every, periods: { current, previous } },
    ...{ filters: storedFilterItems(report.filters), nowMs: clock.nowMs() },
    goals: [...new Set(context?.activation_events ?? [])],
  });
  const { fromMs, toMs } = windowOf(current);
  const annotations = (context?.annotations ?? []).filter(({ occurred_at: at }) => {
    const atMs = Date.parse(at);
    return atMs >= fromMs && atMs < toMs;
  });
  const alerts = control.alerts.episodesWithin(project.id, fromMs, toMs).map((one) => ({
    ...{ id: one.id, name: one.name, from: new Date(one.fromMs).toISOString() },
  }));
  const { changes, isIdle, pages, sources, countries, events, ...counted } = found;
  const { isPreviousKept, ...changed } = changes;
  const dateOf = (at: string): string =>
    isoDate(timeZoneOf(project.timezone).dayAt(Date.parse(at)));
  const facts = {
    ...{ before: `the ${every} before`, visitors: counted.numbers.visitors },
    isCompared: isPreviousKept,
    changes: {
      ...{ ...changed, counted: "Events" as const },
      isSignificant: changed.significant === true,
      ...(every === "month" && { within: "in its last 30 days" }),
    },
    ...{ goals: counted.goals, alerts: alerts.length },
    annotations: annotations.map(({ occurred_at, title }) => ({
      date: dateOf(occurred_at),
      title,
    })),
  };
  const data = {
    ...{ period: datesOf(current), compared: datesOf(previous) },
    sentences: sentencesOf(facts, (text) => text).map(({ text }) => clip(text)),
    ...counted,
    ...{ pages: clipped(pages), sources: clipped(sources) },
    ...{ countries: clipped(countries), events: clipped(events) },
    changes: {
      ...changed,
      drivers: changed.drivers.map((one) => ({
        ...one,
        value: one.value === null ? null : clip(one.value),
      })),
    },
    ...{ annotations, alerts, url },
    ...(isIdle && wasThere(report, current) && { stopped: true as const }),
  };
  return { data, facts };
}

/** A report that is younger than the periods without events waits for the first one. */
const wasThere = ({ every, createdAtMs }: Pick<Report, "every" | "createdAtMs">, days: Days) =>
  createdAtMs <= windowOf({ ...days, from: idleFrom(every, days) }).fromMs;

const clipped = (rows: readonly ReportRow[]): readonly ReportRow[] =>
  rows.map((row) => ({ ...row, value: row.value === null ? null : clip(row.value) }));

function clip(text: string): string {
  const points = [...text];
  return points.length <= valueCharsMax ? text : `${points.slice(0, valueCharsMax - 1).join("")}…`;
}

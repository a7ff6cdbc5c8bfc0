import type { Caller } from "../../domain/caller";
import { ApiError } from "../../domain/errors";
import { nextDueMs } from "../../domain/reports/periods";
import { splitStoredFilters, storedFiltersForAnswer } from "../../domain/stored-filters";
import { refusePeople } from "../../http/auth/share-access";
import type { Deps } from "../../http/deps";
import { clock } from "../../lib/clock";
import { timingOf } from "../../services/reports/reports";
import { findProject, type Project } from "../../store/control/project-selector";
import type { ReportRow } from "../../store/control/report-tables";
import { subscriptionState } from "../../store/control/subscriptions";
import type { Report } from "./schema";

/** A report about a project that the caller may see. Throws NOT_FOUND. */
export function ownReport(
  deps: Deps,
  caller: Caller,
  id: string,
): { readonly report: ReportRow; readonly project: Project } {
  const report = deps.control.reports.byId(id);
  if (report !== undefined) return { report, project: findProject(deps, caller, report.projectId) };
  throw new ApiError(
    "NOT_FOUND",
    "This report does not exist. GET /reports lists those of a project.",
  );
}

/** The same, of which the caller may see the numbers. Throws FORBIDDEN where its filters single a visitor out. */
export function shownReport(deps: Deps, caller: Caller, id: string) {
  const own = ownReport(deps, caller, id);
  refusePeople(caller, splitStoredFilters(own.report.filters).filters);
  return own;
}

export function viewReport({ control }: Deps, project: Project, row: ReportRow): Report {
  const { id, every, hour, filters, stoppedAtMs } = row;
  const last = control.reports.lastSent(id);
  const next = nextDueMs(timingOf(project, row), clock.nowMs());
  return {
    ...{ id, project: row.projectId, every, hour },
    ...(filters !== null && storedFiltersForAnswer(filters)),
    recipients: control.subscriptions.of(id).map((one) => ({
      ...{ to: one.target, state: subscriptionState(one) },
    })),
    ...(stoppedAtMs === null ? { next_at: isoOf(next) } : { stopped_at: isoOf(stoppedAtMs) }),
    ...(last !== undefined && {
      last: {
        period: { from: last.fromDate, to: last.toDate },
        ...{ sent_at: isoOf(last.sentAtMs), ...control.reports.outcomes(last.messages) },
      },
    }),
  };
}

const isoOf = (ms: number): string => new Date(ms).toISOString();

import { memberOf } from "../../domain/caller";
import { ApiError, invalidField } from "../../domain/errors";
import { parseTimeMs } from "../../domain/period";
import { timeZoneOf } from "../../domain/time-zone";
import type { Deps } from "../../http/deps";
import { accountOperation } from "../../http/operation/account-operation";
import { pro } from "../../http/operation/facts";
import { nothing } from "../../http/operation/input";
import { clock, dayMs, hourMs, secondMs } from "../../lib/clock";
import { mailIsOff } from "../../services/subscriptions";
import { actorOf, countedSince, note } from "../../store/control/audit";
import type { Project } from "../../store/control/project-selector";
import { previewExample } from "./examples";
import { PreviewQuery, ReportDone, ReportPreview } from "./schema";
import { shownReport } from "./view";

const tag = "Reports";
const sendsPerHourMax = 5;

/** The operations that make the letter of a report at once. */
export const letterRoutes = (deps: Deps) => [previewRoute(deps), sendRoute(deps)];

const previewRoute = (deps: Deps) =>
  accountOperation("GET /reports/{id}/preview", {
    access: pro("analytics:read"),
    doc: {
      id: "previewReport",
      summary: "Preview a report",
      description:
        "The letter and its data for the last period that ended before `date`. Each number equals that of the read " +
        "of the same dates. It sends nothing.",
      tag,
      example: previewExample,
      errors: ["NOT_FOUND", "UNAVAILABLE", "QUERY_FAILED"],
    },
    takes: PreviewQuery,
    returns: { 200: ReportPreview },
    checkPath: ({ caller, params }) => void shownReport(deps, caller, params.id ?? ""),
    handle: ({ caller, input, params }) => {
      const { report, project } = shownReport(deps, caller, params.id ?? "");
      return deps.reports.preview(project, report, momentOf(project, input.date));
    },
  });

const sendRoute = (deps: Deps) =>
  accountOperation("POST /reports/{id}/send", {
    access: pro("analytics:read"),
    doc: {
      id: "sendReport",
      page: "project/sharing",
      summary: "Send a report to yourself",
      description:
        "The last period's letter, to you alone. It does not count as sent. At most five an hour and account.",
      tag,
      errors: ["NOT_FOUND", "MAIL_NOT_CONFIGURED", "RATE_LIMITED", "UNAVAILABLE", "QUERY_FAILED"],
    },
    takes: nothing,
    returns: { 200: ReportDone },
    handle: async ({ caller, params }) => {
      const { report, project } = shownReport(deps, caller, params.id ?? "");
      const { accountId, email } = memberOf(caller);
      const { control } = deps;
      if (!deps.mail.isOn) throw mailIsOff();
      const actor = actorOf(caller);
      const refuseTooMany = (): void => {
        const sinceMs = clock.nowMs() - hourMs + 1;
        if (countedSince(control, accountId, "report_sent", sinceMs) >= sendsPerHourMax) {
          throw tooMany();
        }
      };
      refuseTooMany();
      await deps.reports.send(project, report, email, () => {
        refuseTooMany();
        note(control, {
          ...{ accountId, actor, action: "report_sent" },
          ...{ projectId: project.id, target: { type: "report", id: report.id } },
        });
      });
      return { ok: true as const };
    },
  });

function momentOf(project: Project, date: string | undefined): number {
  if (date === undefined) return clock.nowMs();
  const timeMs = /^\d{4}-\d{2}-\d{2}$/.test(date) ? parseTimeMs(date) : null;
  if (timeMs !== null) return timeZoneOf(project.timezone).startOf(timeMs / dayMs);
  throw invalidField("date", '"date" must be a date such as 2026-01-31.');
}

const tooMany = (): ApiError =>
  new ApiError(
    "RATE_LIMITED",
    `An account can send ${sendsPerHourMax} reports an hour this way. Try again later, or read the preview.`,
    { reason: "rate_limit", retry_after_seconds: hourMs / secondMs },
  );

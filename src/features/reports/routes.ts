import { type Caller, memberOf } from "../../domain/caller";
import { sentFilterErrors } from "../../domain/sent-filters";
import { filtersToStore, splitStoredFilters } from "../../domain/stored-filters";
import { requireRole } from "../../http/auth/rights";
import { maySeeFilters, refusePeople } from "../../http/auth/share-access";
import { targetsOf } from "../../http/auth/targets";
import type { Deps } from "../../http/deps";
import { reply } from "../../http/edge/reply";
import type { Feature } from "../../http/feature";
import { goalsOf } from "../../http/goals-of";
import { accountOperation, projectOperation } from "../../http/operation/account-operation";
import { pro } from "../../http/operation/facts";
import { nothing } from "../../http/operation/input";
import { subscribe } from "../../services/subscriptions";
import { actorOf, note } from "../../store/control/audit";
import type { Project } from "../../store/control/project-selector";
import { reportsExample } from "./examples";
import { letterRoutes } from "./letter-routes";
import {
  Report,
  ReportChange,
  ReportDone,
  ReportList,
  ReportRequest,
  ReportsQuery,
} from "./schema";
import { ownReport, shownReport, viewReport } from "./view";

const tag = "Reports";
const hourDefault = 8;
/** Viewers keep reports that go to themselves alone. */
const ofViewers = pro("projects:write", "", { role: "viewer" });

/** Letters about a project that go out each week or month. */
export const reportsFeature = (deps: Deps): Feature => ({
  operations: [
    listRoute(deps),
    createRoute(deps),
    changeRoute(deps),
    deleteRoute(deps),
    ...letterRoutes(deps),
  ],
});

const listRoute = (deps: Deps) =>
  projectOperation("GET /reports", {
    access: pro("analytics:read"),
    doc: {
      id: "listReports",
      summary: "List the reports of a project",
      description:
        "Oldest first, each with who gets it, when it goes out next and what was sent last.",
      tag,
      example: reportsExample,
      errors: ["NOT_FOUND"],
    },
    takes: ReportsQuery,
    returns: { 200: ReportList },
    handle: ({ caller, project }) => ({
      reports: deps.control.reports
        .ofProject(project.id)
        .filter((row) => maySeeFilters(caller, splitStoredFilters(row.filters).filters))
        .map((row) => viewReport(deps, project, row)),
      mail: deps.mail.isOn,
    }),
  });

const createRoute = (deps: Deps) =>
  projectOperation("POST /reports", {
    access: ofViewers,
    doc: {
      id: "createReport",
      page: "project/sharing",
      summary: "Create a report",
      description:
        "A letter about the last complete week or month: what changed in sentences, then tables. It goes to members, " +
        "webhooks, and, if an administrator names them, outsiders who confirm. Viewers may send it to themselves. At " +
        "most 50 a project.",
      tag,
      errors: [
        ...(["NOT_FOUND", ...sentFilterErrors] as const),
        ...(["MAIL_NOT_CONFIGURED", "RATE_LIMITED", "UNAVAILABLE"] as const),
      ],
    },
    takes: ReportRequest,
    returns: { 201: Report },
    handle: ({ caller, project, input }) => {
      const { every, hour = hourDefault, filters } = input;
      const toStore = checkedFilters(deps, caller, project, filters);
      const to = targetsOf(deps, caller, project, input.to);
      requireEditorUnlessAlone(caller, to);
      const { control } = deps;
      const actor = actorOf(caller);
      const row = control.write(() => {
        const made = { projectId: project.id, every, hour, filters: toStore ?? null };
        const added = control.reports.add(made);
        subscribe(deps, subjectOf(project, added.id, every), to, actor);
        note(control, {
          ...{ accountId: project.accountId, actor, action: "report_made" },
          ...{
            projectId: project.id,
            target: { type: "report", id: added.id },
            details: { every },
          },
        });
        return added;
      });
      return reply(201, viewReport(deps, project, row));
    },
  });

const changeRoute = (deps: Deps) =>
  accountOperation("PATCH /reports/{id}", {
    access: ofViewers,
    doc: {
      id: "changeReport",
      page: "project/sharing",
      summary: "Change a report",
      description:
        "Absent fields stay unchanged. A change starts a report again that had stopped. Whoever ended its messages " +
        "gets none again.",
      tag,
      errors: [
        ...(["NOT_FOUND", ...sentFilterErrors] as const),
        ...(["MAIL_NOT_CONFIGURED", "RATE_LIMITED", "UNAVAILABLE"] as const),
      ],
    },
    takes: ReportChange,
    returns: { 200: Report },
    checkPath: ({ caller, params }) => void ownReport(deps, caller, params.id ?? ""),
    handle: ({ caller, input, params }) => {
      const { report, project } = ownReport(deps, caller, params.id ?? "");
      const { to: named, filters: sent, ...set } = input;
      // New filters take the place of those that may single a visitor out.
      if (sent === undefined) shownReport(deps, caller, report.id);
      const filters = checkedFilters(deps, caller, project, sent, report.filters);
      const { control } = deps;
      const before = targetsNow(deps, report.id);
      const to = named === undefined ? before : targetsOf(deps, caller, project, named, before);
      requireEditorUnlessAlone(caller, [...before, ...to]);
      const actor = actorOf(caller);
      control.write(() => {
        control.reports.change(report.id, {
          ...set,
          ...(filters !== undefined && { filters }),
          stoppedAtMs: null,
        });
        const subject = subjectOf(project, report.id, set.every ?? report.every);
        if (named !== undefined) subscribe(deps, subject, to, actor);
        note(control, {
          ...{ accountId: project.accountId, actor, action: "report_changed" },
          ...{ projectId: project.id, target: { type: "report", id: report.id } },
          details: { fields: Object.keys(input) },
        });
      });
      return viewReport(deps, project, ownReport(deps, caller, report.id).report);
    },
  });

const deleteRoute = (deps: Deps) =>
  accountOperation("DELETE /reports/{id}", {
    access: ofViewers,
    doc: {
      id: "deleteReport",
      page: "project/sharing",
      summary: "Delete a report",
      description: "It is sent no more. Messages that wait for the mail server still go out.",
      tag,
      errors: ["NOT_FOUND", "UNAVAILABLE"],
    },
    takes: nothing,
    returns: { 200: ReportDone },
    handle: ({ caller, params }) => {
      const { report, project } = ownReport(deps, caller, params.id ?? "");
      requireEditorUnlessAlone(caller, targetsNow(deps, report.id));
      const { control } = deps;
      control.write(() => {
        control.reports.drop(report.id);
        note(control, {
          ...{ accountId: project.accountId, actor: actorOf(caller), action: "report_deleted" },
          ...{ projectId: project.id, target: { type: "report", id: report.id } },
        });
      });
      return { ok: true as const };
    },
  });

const subjectOf = (project: Project, id: string, every: string) => ({
  ...{ id, project, what: `${every === "week" ? "weekly" : "monthly"} report` },
});

const targetsNow = ({ control }: Deps, id: string): readonly string[] =>
  control.subscriptions.of(id).map(({ target }) => target);

/** Throws FORBIDDEN for a viewer where the report goes to somebody else. */
function requireEditorUnlessAlone(caller: Caller, to: readonly string[]): void {
  const { personId } = memberOf(caller);
  if (to.some((target) => target !== personId)) requireRole("editor", caller);
}

function checkedFilters(
  deps: Deps,
  caller: Caller,
  project: Project,
  sent: readonly unknown[] | undefined,
  before: readonly unknown[] | null = null,
): readonly unknown[] | undefined {
  if (sent === undefined) return undefined;
  refusePeople(caller, sent);
  const goals = goalsOf(deps, project).beside(splitStoredFilters(before).goals);
  return filtersToStore(sent, goals);
}

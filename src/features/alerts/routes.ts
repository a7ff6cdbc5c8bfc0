import { type AlertSpec, alertSpecOf, isEach, type SpecFields } from "../../domain/alerts/specs";
import type { Actor } from "../../domain/audit";
import type { Caller } from "../../domain/caller";
import { invalidField } from "../../domain/errors";
import { givenName } from "../../domain/given-name";
import { parseTimeMs } from "../../domain/period";
import { sentFilterErrors } from "../../domain/sent-filters";
import { filtersToStore, splitStoredFilters } from "../../domain/stored-filters";
import { isWebhookId } from "../../domain/subscription";
import { maySeeFilters, refusePeople } from "../../http/auth/share-access";
import { targetsOf } from "../../http/auth/targets";
import type { Deps } from "../../http/deps";
import { reply } from "../../http/edge/reply";
import type { Feature } from "../../http/feature";
import { goalsOf } from "../../http/goals-of";
import { accountOperation, projectOperation } from "../../http/operation/account-operation";
import { pro } from "../../http/operation/facts";
import { nothing } from "../../http/operation/input";
import { clock } from "../../lib/clock";
import { subscribe } from "../../services/subscriptions";
import type { AlertRow } from "../../store/control/alert-tables";
import { actorOf, note } from "../../store/control/audit";
import type { Project } from "../../store/control/project-selector";
import { alertsExample } from "./examples";
import {
  Alert,
  AlertChange,
  AlertDone,
  AlertList,
  AlertMoment,
  AlertNumbersAnswer,
  AlertRequest,
  AlertsQuery,
} from "./schema";
import { filtersOf, ownAlert, shownAlert, viewAlert } from "./view";

const tag = "Alerts";

/** Rules that a project's numbers are held against, and who is told. */
export const alertsFeature = (deps: Deps): Feature => ({
  operations: [
    listRoute(deps),
    createRoute(deps),
    changeRoute(deps),
    deleteRoute(deps),
    evaluateRoute(deps),
    testRoute(deps),
  ],
});

const listRoute = (deps: Deps) =>
  projectOperation("GET /alerts", {
    access: pro("analytics:read"),
    doc: {
      id: "listAlerts",
      summary: "List the alerts of a project",
      description: "Oldest first, each with its state and the last 20 times that it fired.",
      tag,
      example: alertsExample,
      errors: ["NOT_FOUND"],
    },
    takes: AlertsQuery,
    returns: { 200: AlertList },
    handle: ({ caller, project: { id } }) => ({
      alerts: deps.control.alerts
        .ofProject(id)
        .filter((row) => maySeeFilters(caller, filtersOf(row)))
        .map((row) => viewAlert(deps, row)),
      mail: deps.mail.isOn,
    }),
  });

const createRoute = (deps: Deps) =>
  projectOperation("POST /alerts", {
    access: pro("projects:write"),
    doc: {
      id: "createAlert",
      page: "project/sharing",
      summary: "Create an alert",
      description:
        "change: a day differs from the same weekday before by more than usual. silence: no events where there " +
        "should be some. surge: many more visitors than usual. goal: an event happened often enough. At most 50 a " +
        "project.",
      tag,
      errors: [
        ...(["NOT_FOUND", ...sentFilterErrors] as const),
        ...(["MAIL_NOT_CONFIGURED", "RATE_LIMITED", "UNAVAILABLE"] as const),
      ],
    },
    takes: AlertRequest,
    returns: { 201: Alert },
    handle: ({ caller, project, input: { project: _, name: sent, kind, to, ...fields } }) => {
      const name = givenName(sent);
      const spec = alertSpecOf(kind, withFilters(deps, caller, project, fields));
      const targets = targetsOf(deps, caller, project, to);
      refuseReadersOfEach(spec, targets);
      const { control } = deps;
      const actor = actorOf(caller);
      const row = control.write(() => {
        const added = control.alerts.add(project.id, name, spec);
        subscribe(deps, subjectOf(project, added.id, name), targets, actor);
        note(control, entryOf(project, actor, "alert_made", added, { kind }));
        return added;
      });
      return reply(201, viewAlert(deps, row));
    },
  });

const changeRoute = (deps: Deps) =>
  accountOperation("PATCH /alerts/{id}", {
    access: pro("projects:write"),
    doc: {
      id: "changeAlert",
      page: "project/sharing",
      summary: "Change an alert",
      description: "Absent fields stay unchanged. Whoever ended its messages gets none again.",
      tag,
      errors: [
        ...(["NOT_FOUND", ...sentFilterErrors] as const),
        ...(["MAIL_NOT_CONFIGURED", "RATE_LIMITED", "UNAVAILABLE"] as const),
      ],
    },
    takes: AlertChange,
    returns: { 200: Alert },
    checkPath: ({ caller, params }) => void ownAlert(deps, caller, params.id ?? ""),
    handle: ({ caller, input, params }) => {
      const { name, to, ...fields } = input;
      const { alert, project } = ownAlert(deps, caller, params.id ?? "");
      // New filters take the place of those that may single a visitor out.
      if (fields.filters === undefined) shownAlert(deps, caller, alert.id);
      const { kind, ...before } = alert.spec;
      const isChanged = Object.keys(fields).length > 0;
      const changed = withFilters(deps, caller, project, fields, alert.spec);
      const spec = alertSpecOf(kind, { ...before, ...changed });
      const { control } = deps;
      const known = control.subscriptions.of(alert.id).map(({ target }) => target);
      const targets = to === undefined ? null : targetsOf(deps, caller, project, to, known);
      refuseReadersOfEach(spec, targets ?? known);
      const set = {
        ...(name !== undefined && { name: givenName(name) }),
        ...(isChanged && { spec, slot: null }),
        ...(isChanged && isEach(spec) && { counted: null, sinceMs: clock.nowMs() }),
      };
      const actor = actorOf(caller);
      control.write(() => {
        control.alerts.change(alert.id, set);
        const subject = subjectOf(project, alert.id, name ?? alert.name);
        if (targets !== null) subscribe(deps, subject, targets, actor);
        const details = { fields: Object.keys(input) };
        if (details.fields.length === 0) return;
        note(control, entryOf(project, actor, "alert_changed", alert, details));
      });
      return viewAlert(deps, ownAlert(deps, caller, alert.id).alert);
    },
  });

const deleteRoute = (deps: Deps) =>
  accountOperation("DELETE /alerts/{id}", {
    access: pro("projects:write"),
    doc: {
      id: "deleteAlert",
      page: "project/sharing",
      summary: "Delete an alert",
      description: "The alert sends nothing more, and the server forgets when it fired.",
      tag,
      errors: ["NOT_FOUND", "UNAVAILABLE"],
    },
    takes: nothing,
    returns: { 200: AlertDone },
    handle: ({ caller, params }) => {
      const { alert, project } = ownAlert(deps, caller, params.id ?? "");
      const { control } = deps;
      control.write(() => {
        control.alerts.drop(alert.id);
        note(control, entryOf(project, actorOf(caller), "alert_deleted", alert));
      });
      return { ok: true as const };
    },
  });

const evaluateRoute = (deps: Deps) =>
  accountOperation("POST /alerts/{id}/evaluate", {
    access: pro("analytics:read"),
    doc: {
      id: "evaluateAlert",
      summary: "Compute what an alert would say",
      description: "The numbers of its arithmetic, now or at a past time. It sends nothing.",
      tag,
      errors: ["NOT_FOUND", "UNAVAILABLE"],
    },
    takes: AlertMoment,
    returns: { 200: AlertNumbersAnswer },
    checkPath: ({ caller, params }) => void shownAlert(deps, caller, params.id ?? ""),
    handle: async ({ caller, input: { at }, params }) => {
      const { alert, project } = shownAlert(deps, caller, params.id ?? "");
      const nowMs = clock.nowMs();
      const atMs = at === undefined ? nowMs : parseTimeMs(at);
      if (atMs === null || atMs > nowMs) {
        throw invalidField("at", '"at" must be a past time such as 2026-01-31T12:00:00Z.');
      }
      const { would, numbers } = await deps.alerts.evaluate(project, alert, atMs);
      return { would, ...numbers };
    },
  });

const testRoute = (deps: Deps) =>
  accountOperation("POST /alerts/{id}/test", {
    access: pro("projects:write"),
    doc: {
      id: "testAlert",
      summary: "Send a test of an alert",
      description: "One message to each target, marked as a test.",
      tag,
      errors: ["NOT_FOUND", "UNAVAILABLE"],
    },
    takes: nothing,
    returns: { 200: AlertDone },
    handle: ({ caller, params }) => {
      const { alert, project } = ownAlert(deps, caller, params.id ?? "");
      deps.alerts.test(project, alert);
      return { ok: true as const };
    },
  });

const subjectOf = (project: Project, id: string, name: string) => ({
  ...{ id, project, what: `alert ${name}` },
});

const entryOf = (
  { accountId, id: projectId }: Project,
  actor: Actor,
  action: "alert_made" | "alert_changed" | "alert_deleted",
  { id, name }: Pick<AlertRow, "id" | "name">,
  details = {},
) => ({
  ...{ accountId, projectId, actor, action, details },
  target: { type: "alert", id, name },
});

/** A mail for each event would be a flood. */
function refuseReadersOfEach(spec: AlertSpec, to: readonly string[]): void {
  if (!isEach(spec) || to.every(isWebhookId)) return;
  throw invalidField("to", '"to": an alert with "each" tells webhooks alone.');
}

/** Returns the fields of a request with its filters in the form to store. */
function withFilters(
  deps: Deps,
  caller: Caller,
  project: Project,
  fields: SpecFields,
  before: SpecFields = {},
): SpecFields {
  const { filters } = fields;
  if (filters === undefined) return fields;
  refusePeople(caller, filters);
  const goals = goalsOf(deps, project).beside(splitStoredFilters(before.filters).goals);
  return { ...fields, filters: filtersToStore(filters, goals) };
}

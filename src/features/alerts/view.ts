import type { Caller } from "../../domain/caller";
import { ApiError } from "../../domain/errors";
import { splitStoredFilters, storedFiltersForAnswer } from "../../domain/stored-filters";
import { refusePeople } from "../../http/auth/share-access";
import type { Deps } from "../../http/deps";
import type { AlertRow } from "../../store/control/alert-tables";
import { findProject } from "../../store/control/project-selector";
import { subscriptionState } from "../../store/control/subscriptions";
import type { ProjectRow } from "../../store/control/tables";
import type { Alert } from "./schema";

/** An alert of a project that the caller may see. Throws NOT_FOUND. */
export function ownAlert(
  deps: Deps,
  caller: Caller,
  id: string,
): { readonly alert: AlertRow; readonly project: ProjectRow } {
  const alert = deps.control.alerts.byId(id);
  if (alert !== undefined) return { alert, project: findProject(deps, caller, alert.projectId) };
  throw new ApiError(
    "NOT_FOUND",
    "This alert does not exist. GET /alerts lists those of a project.",
  );
}

/** The same, of which the caller may see the numbers. Throws FORBIDDEN where its filters single a visitor out. */
export function shownAlert(deps: Deps, caller: Caller, id: string) {
  const own = ownAlert(deps, caller, id);
  refusePeople(caller, filtersOf(own.alert));
  return own;
}

/** The filters of an alert in the form of requests. Goals cannot identify a single visitor. */
export const filtersOf = ({ spec }: AlertRow): readonly unknown[] =>
  "filters" in spec ? splitStoredFilters(spec.filters).filters : [];

export function viewAlert({ control }: Deps, row: AlertRow): Alert {
  const { kind, ...fields } = row.spec;
  const { filters, ...others } = "filters" in fields ? fields : { ...fields, filters: undefined };
  return {
    ...{ id: row.id, project: row.projectId, name: row.name, kind, ...others },
    ...(filters !== undefined && storedFiltersForAnswer(filters)),
    to: control.subscriptions.of(row.id).map((one) => ({
      ...{ to: one.target, state: subscriptionState(one) },
    })),
    ...{ state: row.state, since: isoOf(row.sinceMs) },
    ...(row.lastEvaluatedAtMs !== null && { last_evaluated_at: isoOf(row.lastEvaluatedAtMs) }),
    history: control.alerts.episodesOf(row.id).map(({ fromMs, toMs, observed, expected }) => ({
      from: isoOf(fromMs),
      ...(toMs !== null && { to: isoOf(toMs) }),
      ...{ observed, expected },
    })),
  };
}

const isoOf = (ms: number): string => new Date(ms).toISOString();

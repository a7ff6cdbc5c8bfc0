import { addDays } from "../lib/dates";
import type { Filter } from "../state/filters";
import { canShow } from "../state/share";
import type { QueryAnswer, Row } from "./answers";
import type { Scope } from "./queries";
import { query } from "./queries";
import { useRead } from "./reads";
import type { ApiRequest } from "./request";

/** The field with the id of a session, which joins the rows to those of a list. */
const idField = "session_id";
/** The dates to read before and after the period: a session of a list may begin before it or end after it. */
const aroundDays = 1;

interface DetailsOptions {
  readonly fields: readonly string[];
  readonly metrics: readonly string[];
  /** The goal whose revenue the list shows. */
  readonly goal?: string | undefined;
}

/** Asks for fields and numbers of the sessions of a list, whatever filters the list has. */
function requestOf(
  { project, period }: Pick<Scope, "project" | "period">,
  ids: readonly string[],
  { fields, metrics, goal }: DetailsOptions,
): ApiRequest {
  const filters: Filter[] = [{ field: idField, op: "in", value: ids }];
  return query({
    ...{ project, metrics, group_by: [idField, ...fields], filters },
    ...(goal !== undefined && { goal: { goal } }),
    ...{ date_from: addDays(period.from, -aroundDays), date_to: addDays(period.to, aroundDays) },
    limit: ids.length,
  });
}

/** Returns the rows by the ids of sessions; none before the answer, and in shares that may not group by sessions. */
export function useSessionDetails(
  scope: Pick<Scope, "project" | "period">,
  ids: readonly string[],
  options: DetailsOptions,
): ReadonlyMap<string, Row> {
  const isAsked = ids.length > 0 && canShow(idField);
  const { data } = useRead<QueryAnswer>(
    "Details of the sessions",
    isAsked ? requestOf(scope, ids, options) : null,
  );
  return new Map(data?.rows.map((row) => [String(row[idField]), row]));
}

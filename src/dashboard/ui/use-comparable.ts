import { isGuest } from "../data/api";
import * as queries from "../data/queries";
import { useRead } from "../data/reads";
import { comparedSince, firstDateIn, type ProjectDates } from "../state/comparable";
import { scope } from "../state/scope";

/** Tells whether a page may compare with the window before. A share does not tell the date of its first event. */
export function useComparable(): boolean {
  const { project, comparison } = scope.value;
  const request = isGuest.value ? null : queries.project(project);
  const { data } = useRead<ProjectDates>("The first event of the project", request);
  return data !== undefined && comparison !== null && comparedSince(firstDateIn(data)) === null;
}

import { encode, type Filter } from "./filters";
import { linkTo, place } from "./route";

/** The page of one person. */
export const linkToPerson = (id: string): string => linkTo("people", place.value.project, {}, id);

/** A page of this project with these filters in place of those that are set. */
export function linkToFiltered(page: string, filters: readonly Filter[]): string {
  const [path = "", query = ""] = linkTo(page).split("?");
  const params = new URLSearchParams(query);
  params.delete("filter");
  for (const filter of filters) params.append("filter", encode(filter));
  return `${path}?${params}`;
}

import { linkTo } from "./route";

/** The page of one person. */
export function linkToPerson(id: string): string {
  const [path = "", query] = linkTo("people").split("?");
  return `${path}/${encodeURIComponent(id)}${query === undefined ? "" : `?${query}`}`;
}

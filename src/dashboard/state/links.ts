import { linkTo, place } from "./route";

/** The page of one person. */
export const linkToPerson = (id: string): string => linkTo("people", place.value.project, {}, id);

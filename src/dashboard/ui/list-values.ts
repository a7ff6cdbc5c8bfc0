import { countryName } from "../lib/format";
import { type Filter, isSame } from "../state/filters";
import { addFilter, filters, param, removeFilter } from "../state/route";

export interface Tab {
  readonly key: string;
  readonly text: string;
  /** A field that POST /query groups by, and the metric that its values are counted by. */
  readonly field: string;
  readonly metric: "unique_users" | "session_count";
  readonly unit: string;
}
/** A group of lists that shows one of them; the address says which. */
export interface ListCard {
  readonly title: string;
  readonly name: string;
  readonly head: string;
  readonly tabs: readonly [Tab, ...Tab[]];
}

export const chosenTab = ({ name, tabs }: ListCard): Tab =>
  tabs.find(({ key }) => key === param(name)) ?? tabs[0];
/** The heading of the column of values: the card's own in its first tab, the text of the tab in the others. */
export const headOf = ({ head, tabs }: ListCard, tab: Tab): string =>
  tab === tabs[0] ? head : tab.text;

/** A click filters the page; the same click again takes the filter away. */
export function toggle(filter: Filter): void {
  if (isHeld(filter)) removeFilter(filter);
  else addFilter(filter);
}
export const isHeld = (filter: Filter): boolean => filters.value.some((one) => isSame(one, filter));

export const filterOf = (field: string, value: string): Filter => ({ field, op: "eq", value });
export const chooseOf =
  (field: string) =>
  (value: string): void =>
    toggle(filterOf(field, value));
export const isChosenOf =
  (field: string) =>
  (value: string): boolean =>
    isHeld(filterOf(field, value));

/** The text that a page shows for a value. */
export function labelOf(field: string, value: string): string {
  if (field.endsWith("country")) return countryName(value);
  if (field === "properties.referrer" && value !== "") {
    return value.replace(/^https?:\/\/(www\.)?/, "").replace(/\/$/, "");
  }
  return value === "" ? "(empty)" : value;
}

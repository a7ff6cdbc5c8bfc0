import { countryName } from "../lib/format";
import { isSame } from "../state/filters";
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

/** A row chooses its value as a filter; choosing it again takes the filter away. */
export const chooseOf =
  (field: string) =>
  (value: string): void => {
    const filter = { field, op: "eq", value };
    if (isChosenOf(field)(value)) removeFilter(filter);
    else addFilter(filter);
  };
export const isChosenOf =
  (field: string) =>
  (value: string): boolean =>
    filters.value.some((one) => isSame(one, { field, op: "eq", value }));

/** The text that a page shows for a value. */
export function labelOf(field: string, value: string): string {
  if (field.endsWith("country")) return countryName(value);
  if (field === "properties.referrer" && value !== "") {
    return value.replace(/^https?:\/\/(www\.)?/, "").replace(/\/$/, "");
  }
  return value === "" ? "(empty)" : value;
}

import { nearest } from "../lib/nearest";
import type { Condition } from "./filter";
import { type FilterItem, isAnyOf, isDid, isOncePer } from "./filter-items";
import { channels } from "./sources/channel";
import { comparedLike } from "./visitor-field";

/** A field, and the value with which a filter compares it. */
export interface Compared {
  readonly field: string;
  readonly value: string;
}

const comparing = ["eq", "neq", "in", "not_in"];

/** The values that filters ask a field for as a whole. */
export const comparedIn = (items: readonly FilterItem[]): Compared[] =>
  conditionsIn(items).flatMap(({ field, op, value }) =>
    comparing.includes(op) ? [value].flat().map((one) => ({ field, value: one })) : [],
  );

/** All conditions of filters, wherever in them they are. */
export const conditionsIn = (items: readonly FilterItem[]): Condition[] =>
  items.flatMap((item) => {
    if (isAnyOf(item)) return conditionsIn(item.any);
    if (isOncePer(item)) return [];
    return isDid(item) ? conditionsIn([...(item.goal?.events ?? []), ...item.filters]) : [item];
  });

const isCountry = (field: string): boolean =>
  field === "country" || comparedLike(field) === "session.country";

/**
 * Tells, in a sentence that says what the field may have, that no event can have a value; null for all other values.
 */
export function impossible({ field, value }: Compared): string | null {
  if (isCountry(field) && !/^[A-Z]{2}$/.test(value)) {
    const meant = countryMeant(value) ?? "DE";
    return (
      `The filter ${field} = "${value}" matches nothing: countries are codes of two capital letters, such as ` +
      `"${meant}".`
    );
  }
  if (comparedLike(field) !== "session.channel" || channels.some((one) => one === value))
    return null;
  const meant =
    nearest(value, channels) ?? channels.find((one) => words(one).includes(words(value)));
  return meant === undefined
    ? `"${value}" is not a channel, so the filter matches nothing. The channels are ${channels.join(", ")}.`
    : `"${value}" is not a channel, so the filter matches nothing. Did you mean "${meant}"?`;
}

const words = (text: string): string => text.toLowerCase();

/** Finds a country by its code in other letters, or by its name in English. */
function countryMeant(value: string): string | null {
  const code = value.toUpperCase();
  if (/^[A-Z]{2}$/.test(code)) return code;
  const names = new Intl.DisplayNames("en", { type: "region", fallback: "none" });
  const isNamed = (one: string): boolean => words(names.of(one) ?? "-") === words(value);
  return codes.find((one) => isNamed(one) && isOfToday(one)) ?? null;
}

/** Tells whether a code is in use today, as some countries had another code before. */
const isOfToday = (code: string): boolean =>
  Intl.getCanonicalLocales(`und-${code}`)[0] === `und-${code}`;

const letters = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];
const codes = letters.flatMap((first) => letters.map((second) => first + second));

import type { Condition } from "../../../domain/filter";
import { keyOfProperty, type PropertyField } from "../../../domain/property-field";
import { jsonNumberForm } from "../../../domain/text-number";
import type { View } from "../../questions";
import { Bound } from "../sql/bound";
import { Events } from "../sql/events";
import type { OpenRead } from "../sql/open-read";

/** Counts the events whose property is a text in the form of a number: a number itself is stored behind the byte FF. */
export async function textNumbers(
  read: OpenRead,
  view: View,
  conditions: readonly Condition[],
  field: PropertyField,
): Promise<number> {
  const bound = new Bound();
  const events = new Events(read, bound, view).limitTo(conditions);
  const stored = events.property(keyOfProperty(field));
  const [{ found }] = await read.ask<{ found: number }>(
    `select countIf(match(${stored}, '${jsonNumberForm}')) as found from ${events.sql()}`,
    bound,
  );
  return found;
}

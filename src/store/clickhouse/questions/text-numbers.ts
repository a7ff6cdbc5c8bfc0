import type { Condition } from "../../../domain/filter";
import { keyOfProperty, type PropertyField } from "../../../domain/property-field";
import { jsonNumberForm } from "../../../domain/text-number";
import type { View } from "../../questions";
import { Bound } from "../sql/bound";
import { Events } from "../sql/events";
import type { OpenRead } from "../sql/open-read";
import { numberOfStored } from "../sql/values";

type CountOfKind = (
  read: OpenRead,
  view: View,
  conditions: readonly Condition[],
  field: PropertyField,
) => Promise<number>;

/** Counts the events for whose stored value a condition in SQL holds. */
const countOfKind =
  (isOfKind: (stored: string) => string): CountOfKind =>
  async (read, view, conditions, field) => {
    const bound = new Bound();
    const events = new Events(read, bound, view).limitTo(conditions);
    const stored = events.property(keyOfProperty(field));
    const [{ found }] = await read.ask<{ found: number }>(
      `select countIf(${isOfKind(stored)}) as found from ${events.sql()}`,
      bound,
    );
    return found;
  };

/** Text numbers are plain texts: the store writes the byte FF before a JSON number. */
export const textNumbers = countOfKind((stored) => `match(${stored}, '${jsonNumberForm}')`);
export const numbers = countOfKind((stored) => `isNotNull(${numberOfStored(stored)})`);

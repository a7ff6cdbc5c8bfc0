import type { Warning } from "../domain/fields";
import type { Condition } from "../domain/filter";
import { type FilterItem, isAnyOf, isDid, isOncePer } from "../domain/filter-items";
import { type Compared, comparedIn, conditionsIn, impossible } from "../domain/impossible-values";
import { type Days, windowOf } from "../domain/period";
import { isPropertyField, keyOfProperty, type PropertyField } from "../domain/property-field";
import type { TimeWindow } from "../domain/time-window";
import { comparedLike } from "../domain/visitor-field";
import { withSeparators } from "../lib/text";
import type { Snapshot, View } from "../store/questions";
import type { SoughtField } from "../store/shared/values-seen";
import { type CountedGoal, goalWarnings, textNumbers } from "./goal-warnings";
import { viewOf } from "./view";

/** Lists may name hundreds that are wrong: these are enough to see what is. */
export const warningsMax = 20;

/** The part of a project's request that every read with filters is given. */
export interface Filtered {
  readonly projectId: string;
  readonly filters?: readonly FilterItem[] | undefined;
  /** Filters of a step or a goal: they leave no event out of the read, and may be misspelt too. */
  readonly others?: readonly FilterItem[] | undefined;
}

/** What there may be warnings about. */
export interface About extends Filtered {
  /** What holds beside the filters, such as who did it. */
  readonly besides?: readonly Condition[];
  /** Properties whose numbers the read measures. */
  readonly measured?: readonly PropertyField[];
  /** Properties that the read asked for, and of which it found no value. */
  readonly unfound?: readonly PropertyField[];
  readonly goals?: readonly CountedGoal[];
  /** Returns the view of the rows that count, given the events that pass the filters; absent if all of them count. */
  rowsOf?(view: View): View;
}

/** The dates that a read is about. */
interface WarningDates {
  readonly days: Days;
  /** The moment at which the read's period ends, if that is within its last date. */
  readonly untilMs?: number | undefined;
  /** Where names and properties are looked for, if that is more than these dates. */
  readonly within?: TimeWindow;
}

/**
 * Returns the warnings of a read: one for each name or property that no event of the dates has, as it is probably
 * misspelt, one for each value of the filters that none can have, one for each filter that leaves out events without
 * its field, one for each property whose numbers some events send as texts, and those about goals.
 */
export async function warningsOf(
  snapshot: Snapshot,
  about: About,
  asked: WarningDates,
  names: readonly string[] = [],
): Promise<Warned> {
  const { projectId, filters = [], others = [], unfound = [] } = about;
  const { fromMs, toMs } = asked.within ?? windowOf(asked.days);
  const view = { projectId, fromMs, toMs };
  const all = [...filters, ...others];
  const compared = comparedIn(all);
  const properties = [
    ...conditionsIn(all)
      .map(({ field }) => field)
      .filter(isPropertyField),
    ...unfound,
  ];
  const unseen = await unseenAmong(snapshot, view, "event", names);
  const warnings = [
    ...unseen.map(unknownEvent),
    ...compared.flatMap(impossibleValue),
    ...(await unseenDevices(snapshot, view, compared)),
    ...(await unseenProperties(snapshot, view, properties)),
    ...(await missingLeftOut(snapshot, about, asked)),
    ...(await textsLeftOut(snapshot, about, asked)),
    ...(await ofGoals(snapshot, about, asked)),
  ];
  const once = new Map(warnings.map((warning) => [warning.message, warning]));
  return once.size === 0 ? {} : { warnings: [...once.values()].slice(0, warningsMax) };
}
export interface Warned {
  warnings?: Warning[];
}

/**
 * Says how many events a `neq` left out that do not have its field at all, as nearly nobody means them to be. Counted
 * only where there is one.
 */
async function missingLeftOut(
  snapshot: Snapshot,
  { projectId, filters = [], besides = [] }: About,
  { days, untilMs }: WarningDates,
): Promise<Warning[]> {
  const found: Warning[] = [];
  for (const item of filters) {
    if (isAnyOf(item) || isDid(item) || isOncePer(item)) continue;
    if (item.op !== "neq" || always.includes(item.field)) continue;
    const { field } = item;
    const isMissing: Condition = { field, op: "is_null", value: "" };
    const others = filters.map((one) => (one === item ? isMissing : one));
    const view = viewOf(projectId, days, others, untilMs);
    const events = await snapshot.eventCount(view, besides);
    if (events === 0) continue;
    const message =
      `The filter "${field} neq" left out ${withSeparators(events)} events that have no ${field}. To include ` +
      "them, use not_in instead of neq.";
    found.push({ code: "missing_left_out", message, field, events });
  }
  return found;
}
/** No event is without these. */
const always: readonly string[] = ["event", "date", "timestamp"];

/** Counts for each measured property the events that send it as a text, which no measure takes for a number. */
async function textsLeftOut(
  snapshot: Snapshot,
  { projectId, filters, besides = [], measured = [] }: About,
  { days, untilMs }: WarningDates,
): Promise<Warning[]> {
  const found: Warning[] = [];
  for (const field of measured) {
    const view = viewOf(projectId, days, filters, untilMs);
    const events = await snapshot.textNumbers(view, besides, field);
    if (events > 0) found.push(textNumbers(events, keyOfProperty(field)));
  }
  return found;
}

function ofGoals(
  snapshot: Snapshot,
  { projectId, filters, besides = [], measured = [], goals = [], rowsOf = (view) => view }: About,
  { days, untilMs }: WarningDates,
): Promise<Warning[]> {
  const ofDates = (items?: readonly FilterItem[]): View => viewOf(projectId, days, items, untilMs);
  const rows = rowsOf(ofDates(filters));
  return goalWarnings(snapshot, { goals, measured, rows, besides, viewOf: ofDates });
}

/** Warns of each property that no event has. */
async function unseenProperties(
  snapshot: Snapshot,
  view: View,
  fields: readonly PropertyField[],
): Promise<Warning[]> {
  const unseen: Warning[] = [];
  for (const field of new Set(fields)) {
    if (await snapshot.hasProperty(view, field)) continue;
    const property = keyOfProperty(field);
    const message = `No event has the property "${property}" in this period. ${listed("keys")}`;
    unseen.push({ code: "unknown_property", message, property });
  }
  return unseen;
}

/** These are the tracker's values; other senders may send any, which are looked up in the events. */
const devices = ["desktop", "mobile", "tablet"];

async function unseenDevices(
  snapshot: Snapshot,
  view: View,
  compared: readonly Compared[],
): Promise<Warning[]> {
  const odd = compared.flatMap(({ field, value }) =>
    (field === device || comparedLike(field) === "session.device") && !devices.includes(value)
      ? [value]
      : [],
  );
  const unseen = await unseenAmong(snapshot, view, device, odd);
  return unseen.map((value) => ({
    code: "unknown_value",
    message: `No event in this period has the device "${value}". The tracker sends ${devices.join(", ")}.`,
    ...{ field: device, value },
  }));
}
const device = "properties.device";

async function unseenAmong(
  snapshot: Snapshot,
  view: View,
  field: SoughtField,
  values: readonly string[],
): Promise<string[]> {
  const named = [...new Set(values)];
  if (named.length === 0) return [];
  const seen = new Set(await snapshot.valuesSeen(view, field, named));
  return named.filter((value) => !seen.has(value));
}

/** The names that conditions compare with: a filter on one that is misspelt keeps nothing, or everything. */
export const namesIn = (filters: readonly FilterItem[], ops: readonly string[]): string[] =>
  filters.flatMap((item) => {
    if (isAnyOf(item)) return namesIn(item.any, ops);
    if (isDid(item)) return [item.did];
    if (isOncePer(item)) return [];
    const { field, op, value } = item;
    if (field !== "event" || !ops.includes(op)) return [];
    return [value].flat().filter((name) => typeof name === "string");
  });

const unknownEvent = (event: string): Warning => ({
  code: "unknown_event",
  message: `No event is named "${event}" in this period. ${listed("names")}`,
  event,
});
const listed = (what: string): string => `GET /properties lists the ${what} that exist.`;

function impossibleValue({ field, value }: Compared): Warning[] {
  const message = impossible({ field, value });
  return message === null ? [] : [{ code: "impossible_value", message, field, value }];
}

import type { Warning } from "../domain/fields";
import type { Condition } from "../domain/filter";
import type { FilterItem } from "../domain/filter-items";
import { eventsOf, type Goal } from "../domain/goal";
import { keyOfProperty, type PropertyField } from "../domain/property-field";
import { withSeparators } from "../lib/text";
import type { Snapshot, View } from "../store/questions";

/** A goal of a read, and the use that the read makes of it. */
export interface CountedGoal {
  readonly goal: Goal;
  /** The read counts the sessions that reach it. */
  readonly countsSessions: boolean;
  /** The read adds its values. */
  readonly addsValues: boolean;
}

interface AboutGoals {
  readonly goals: readonly CountedGoal[];
  /** Properties whose numbers the read measures, in the rows that count. */
  readonly measured: readonly PropertyField[];
  readonly rows: View;
  readonly besides: readonly Condition[];
  /** Returns the view of the events on the dates of the read that pass the items. */
  viewOf(items: readonly FilterItem[]): View;
}

/**
 * Returns the warnings about the goals of a read: events of a goal that belong to no session, values that are texts,
 * and measures of a goal's value that add those of other events too.
 */
export async function goalWarnings(snapshot: Snapshot, about: AboutGoals): Promise<Warning[]> {
  if (about.goals.length === 0) return [];
  return [
    ...(await withoutSession(snapshot, about)),
    ...(await valuesAsTexts(snapshot, about)),
    ...(await othersCarry(snapshot, about)),
  ];
}

const hasNoSession: Condition = { field: "session_id", op: "is_null", value: "" };

/** It first counts all events without a session: most projects have none, and need no question for each goal. */
async function withoutSession(
  snapshot: Snapshot,
  { goals, viewOf }: AboutGoals,
): Promise<Warning[]> {
  const counted = goals.filter(({ countsSessions }) => countsSessions);
  if (counted.length === 0 || (await snapshot.eventCount(viewOf([hasNoSession]), [])) === 0)
    return [];
  const warnings: Warning[] = [];
  for (const { goal } of counted) {
    const events = await snapshot.eventCount(viewOf([...eventsOf(goal), hasNoSession]), []);
    if (events === 0) continue;
    const have = events === 1 ? "1 event" : `${withSeparators(events)} events`;
    const message =
      `${have} of ${words(goal)} on these dates ${events === 1 ? "has" : "have"} no session_id. Conversions and ` +
      "revenue are counted by session and leave them out. Send a session_id with each event.";
    warnings.push({ code: "goal_without_session", message, events });
  }
  return warnings;
}

const words = ({ event, named }: Goal): string =>
  named === undefined ? `the goal event "${event}"` : `the goal "${named.name}"`;

async function valuesAsTexts(
  snapshot: Snapshot,
  { goals, viewOf }: AboutGoals,
): Promise<Warning[]> {
  const warnings: Warning[] = [];
  for (const { goal, addsValues } of goals) {
    if (!addsValues || goal.value === undefined) continue;
    const { property } = goal.value;
    const view = viewOf(eventsOf(goal));
    const events = await snapshot.textNumbers(view, [], `properties.${property}`);
    if (events > 0) warnings.push(textNumbers(events, property, ` of ${words(goal)}`));
  }
  return warnings;
}

/** Warns that some events have a number as a text. `ofGoal` names the goal whose events it counted. */
export function textNumbers(events: number, property: string, ofGoal = ""): Warning {
  const has =
    events === 1 ? `1 event${ofGoal} has` : `${withSeparators(events)} events${ofGoal} have`;
  const measures = ofGoal === "" ? "sum, avg, min, max and percentiles leave" : "revenue leaves";
  const message =
    `${has} "${property}" as a text that looks like a number, and ${measures} texts ` +
    "out. Send the value as a JSON number, without quotes.";
  return { code: "text_numbers", message, property, events };
}

async function othersCarry(
  snapshot: Snapshot,
  { goals, measured, rows, besides, viewOf }: AboutGoals,
): Promise<Warning[]> {
  const warnings: Warning[] = [];
  for (const { goal } of goals) {
    const field = measured.find((one) => keyOfProperty(one) === goal.value?.property);
    if (field === undefined) continue;
    const { filters = [] } = rows;
    const ofGoal = { ...rows, filters: [...filters, ...(viewOf(eventsOf(goal)).filters ?? [])] };
    const all = await snapshot.numbers(rows, besides, field);
    if (all === 0 || (await snapshot.numbers(ofGoal, besides, field)) === all) continue;
    const property = keyOfProperty(field);
    const message =
      `Events that are not of ${words(goal)} have "${property}" too, and metrics such as sum:properties.${property} ` +
      "measure all events. For the goal alone use revenue.";
    warnings.push({ code: "other_events_carry", message, property, use: "revenue" });
  }
  return warnings;
}

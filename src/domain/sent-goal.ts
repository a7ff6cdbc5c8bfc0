import { codePointCount } from "../lib/text";
import { invalidField } from "./errors";
import { checkPropertyKey } from "./filter";
import { type Goal, goalNamed, pageCondition, pageViewEvent, plainGoal } from "./goal";
import { goalValueOf } from "./goals/definition";
import type { Goals } from "./goals/goals";
import { eventNameCharsMax } from "./limits";
import { goalMetrics, type Metric } from "./metric";
import { filterItems } from "./sent-filters";

/** A goal in a request: its name or id, or a definition of its events. */
export interface SentGoal {
  readonly goal?: string;
  readonly event?: string;
  readonly page?: string;
  readonly filters?: readonly unknown[];
  readonly value?: { readonly property: string; readonly currency?: string | null };
  readonly once_per?: string;
}

/** Checks the goal of a query, even if no metric needs it, and returns it. */
export function goalOf(
  sent: SentGoal | undefined,
  metrics: readonly Metric[],
  goals: Goals,
): Goal | null {
  const goal = sent === undefined ? null : parseGoal(sent, "goal", goals);
  const needing = goalMetrics.find((name) => metrics.includes(name));
  if (needing === undefined || goal !== null) return goal;
  const message = `"${needing}" needs a goal, such as "goal": {"event": "signup"}.`;
  throw invalidField("goal", message);
}

function parseGoal(sent: SentGoal, path: string, goals: Goals): Goal {
  const { goal, event, page, value, once_per: oncePer } = sent;
  if (goal !== undefined) {
    if (Object.keys(sent).length === 1) return goalNamed(goals.named(goal));
    throw invalidField(path, `"${path}" takes either "goal", the name of a goal, or its events.`);
  }
  if (event !== undefined && page !== undefined) {
    throw invalidField(`${path}.page`, `Send either "${path}.event" or "${path}.page", not both.`);
  }
  const filters = filterItems(sent.filters, goals, `${path}.filters`);
  return {
    ...matchSent(event, page, `${path}.event`),
    filters: page === undefined ? filters : [pageCondition(page), ...filters],
    ...(oncePer !== undefined && { oncePer: checkPropertyKey(oncePer, `${path}.once_per`) }),
    ...(value !== undefined && { value: goalValueOf(value, `${path}.value`) }),
  };
}

function matchSent(
  event: string | undefined,
  page: string | undefined,
  path: string,
): Pick<Goal, "event"> {
  if (page !== undefined) return { event: pageViewEvent };
  if (event !== undefined) return { event };
  throw invalidField(path, `"${path}" is required.`);
}

/** Checks a goal in the form of an event's name or of `{"goal": "Order"}`, and returns it. */
export function eventOrGoal(
  sent: string | { readonly goal: string },
  field: string,
  goals: Goals,
): Goal {
  if (typeof sent !== "string") return goalNamed(goals.named(sent.goal));
  const event = sent.trim();
  if (event !== "" && codePointCount(event) <= eventNameCharsMax) return plainGoal(event);
  throw invalidField(
    field,
    `"${field}" must be an event name of 1 to ${eventNameCharsMax} characters, or {"goal": "<name>"}.`,
  );
}

import { isObject } from "../lib/is-object";
import { codePointCount } from "../lib/text";
import type { BreakdownField } from "./counting";
import { ApiError } from "./errors";
import { type Condition, checkPropertyKey, conditionOf, type FilterRequest } from "./filter";
import { type Goal, goalNamed, plainGoal } from "./goal";
import type { Goals } from "./goals/goals";
import { eventNameCharsMax, funnelStepsMax, queryFiltersMax } from "./limits";
import { refuseUnknown } from "./unknown-fields";
import { isVisitorField } from "./visitor-field";

const funnelStepsMin = 2;

export const funnelCounts = ["user_id", "session_id"] as const;
export type FunnelCount = (typeof funnelCounts)[number];
export const stepSources = ["request.steps", "project_context.activation_events"] as const;

export interface FunnelSteps {
  readonly source: (typeof stepSources)[number];
  readonly steps: readonly Goal[];
}

/**
 * The steps of a funnel: those of the request, or the project's activation events when there are none or
 * `from_context` asks for them.
 */
export function funnelSteps(
  steps: readonly unknown[] | undefined,
  fromContext: boolean,
  activationEvents: readonly string[],
  goals: Goals,
): FunnelSteps {
  if (steps !== undefined && fromContext) {
    throw badSteps('Send either "steps" or "from_context", not both.');
  }
  if (steps === undefined) {
    const list = activationEvents.map((event) => plainGoal(event));
    if (list.length < funnelStepsMin) {
      throw badSteps(
        `Send ${funnelStepsMin} to ${funnelStepsMax} steps: the project's context has fewer than ` +
          `${funnelStepsMin} activation events. You can set them with PUT /project-context.`,
      );
    }
    return { source: "project_context.activation_events", steps: list };
  }
  if (steps.length < funnelStepsMin || steps.length > funnelStepsMax) {
    throw badSteps(`A funnel must have ${funnelStepsMin} to ${funnelStepsMax} steps.`);
  }
  return {
    source: "request.steps",
    steps: steps.map((step, index) => stepOf(step, `steps[${index}]`, goals)),
  };
}

function stepOf(step: unknown, path: string, goals: Goals): Goal {
  if (typeof step === "string") return plainGoal(eventOf(step, path));
  if (!isObject(step)) {
    throw badSteps(`${path} must be an event name, or an object with "event" or "goal".`);
  }
  const { goal } = step;
  if (typeof goal === "string") {
    refuseUnknown(keysSent(step), ["goal"], { what: "field", path: `${path}.` });
    return goalNamed(goals.named(goal));
  }
  refuseUnknown(keysSent(step), ["event", "filters"], { what: "field", path: `${path}.` });
  const { event, filters } = step;
  if (filters !== undefined && filters !== null && !Array.isArray(filters)) {
    throw badSteps(`${path}.filters must be a list.`);
  }
  const list: readonly unknown[] = filters ?? [];
  if (list.length > queryFiltersMax) {
    throw badSteps(`${path}.filters must have at most ${queryFiltersMax} filters.`);
  }
  return {
    event: eventOf(event, path),
    filters: list.map((filter, index) => filterOf(filter, `${path}.filters[${index}]`)),
  };
}

function eventOf(event: unknown, path: string): string {
  const isName =
    typeof event === "string" && event !== "" && codePointCount(event) <= eventNameCharsMax;
  if (isName) return event;
  throw badSteps(`${path} must name an event with 1 to ${eventNameCharsMax} characters.`);
}

/** Reads a filter with `field` as in queries, or with `property` and a bare key. */
function filterOf(filter: unknown, path: string): Condition {
  if (!isObject(filter)) throw badSteps(`${path} must be an object with field, op and value.`);
  const known = ["field", "property", "op", "value"];
  refuseUnknown(keysSent(filter), known, { what: "field", path: `${path}.` });
  const { property, field, op, value } = filter;
  const isBare = typeof property === "string" && (field === undefined || field === null);
  const request: FilterRequest = {
    field: isBare ? `properties.${property}` : textOrNull(field),
    op: textOrNull(op),
    value,
  };
  return conditionOf(request, path);
}

/** Reads the field that breaks a funnel down; its value is that of the event which an entity used for step 1. */
export function breakdownField(asked: string): BreakdownField {
  if (asked === "country" || isVisitorField(asked)) return asked;
  return `properties.${checkPropertyKey(asked.replace(/^properties\./, ""), "breakdown")}`;
}

/** Returns the keys that were sent. Null is the same as absent. */
const keysSent = (sent: Readonly<Record<string, unknown>>): readonly string[] =>
  Object.keys(sent).filter((key) => sent[key] !== null);
const badSteps = (message: string): ApiError => new ApiError("INVALID_FUNNEL_STEPS", message);
const textOrNull = (value: unknown): string | null => (typeof value === "string" ? value : null);

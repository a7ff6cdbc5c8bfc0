import { ApiError, invalidField } from "./errors";

export const budgetPolicies = ["refuse", "forget_oldest"] as const;
export type BudgetPolicy = (typeof budgetPolicies)[number];

/** The most that a project may store, as an administrator of its account set it. */
export interface Budget {
  /** Events of a UTC month; null for any number. */
  readonly eventsPerMonth: number | null;
  /** Bytes of stored events and recordings; null for any number. */
  readonly bytes: number | null;
  readonly whenOver: BudgetPolicy;
}

/** The budget of a request. */
export interface SentBudget {
  readonly events_per_month?: number;
  readonly bytes?: number;
  readonly when_over: BudgetPolicy;
}

const largest = Number.MAX_SAFE_INTEGER;

/** Throws MISSING_FIELDS. */
export function budgetOf(sent: SentBudget): Budget {
  const { events_per_month: events, bytes, when_over: whenOver } = sent;
  for (const [name, value] of Object.entries({ events_per_month: events, bytes })) {
    if (value === undefined || (Number.isInteger(value) && value >= 1 && value <= largest))
      continue;
    throw invalidField("budget", `"budget.${name}" must be a whole number of at least 1.`);
  }
  if (events === undefined && bytes === undefined) {
    throw invalidField("budget", '"budget" needs "events_per_month", "bytes" or both.');
  }
  if (whenOver === "forget_oldest" && (bytes === undefined || events !== undefined)) {
    throw invalidField(
      "budget",
      '"forget_oldest" makes room for bytes: send "bytes" without "events_per_month", or use "refuse".',
    );
  }
  return { eventsPerMonth: events ?? null, bytes: bytes ?? null, whenOver };
}

export const viewOfBudget = ({ eventsPerMonth, bytes, whenOver }: Budget): SentBudget => ({
  ...(eventsPerMonth !== null && { events_per_month: eventsPerMonth }),
  ...(bytes !== null && { bytes }),
  when_over: whenOver,
});

/** The shares of a budget, in percent, at which the server notifies the administrators. */
export type ToldPercent = 0 | 80 | 100;

export function percentOf(used: number, limit: number): ToldPercent {
  if (used >= limit) return 100;
  return used >= 0.8 * limit ? 80 : 0;
}

const retrySecondsMax = 86_400;

export const overBudget = (what: string, secondsToMonthsEnd: number): ApiError =>
  new ApiError(
    "RATE_LIMITED",
    `This request would exceed the project's budget of ${what}, so none of it was stored. An administrator of the ` +
      "account can change the budget with PATCH /projects/{id}.",
    {
      reason: "project_budget",
      retry_after_seconds: Math.min(retrySecondsMax, Math.max(1, Math.ceil(secondsToMonthsEnd))),
    },
  );

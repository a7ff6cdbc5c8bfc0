import type { Warning } from "../../../src/domain/fields";
import type { Model, ModelDays } from "../../model/model";
import { type CountingWarning, countingWarnings } from "../../model/warnings";
import type { Question } from "./questions";

/*
 * Of the warnings of a read the model tells those that count events. The others are about words, and have tests of
 * their own.
 */

/** An answer with these warnings at its end. */
export function withCounting(answer: unknown): unknown {
  if (typeof answer !== "object" || answer === null || !("warnings" in answer)) return answer;
  const { warnings, ...shown } = answer as { readonly warnings: readonly Warning[] };
  return added(shown, warnings.flatMap(countingOf));
}

/** What the model answers, with its warnings. */
export function withModelWarnings(answer: unknown, question: Question, model: Model): unknown {
  const days = datesOf(question);
  if (days === null) return answer;
  const { filters = [] } = question;
  const { conditions, ...asked } = "query" in question ? question.query : ofOthers(question);
  const items = [...conditions, ...filters];
  return added(answer, countingWarnings(model, { ...asked, days, items }));
}

/** The same of reads that have no metrics: /changes may count the sessions that reach a goal. */
function ofOthers(question: Question) {
  const isConversion = question.ask === "changes" && question.changes.metric === "conversion";
  return {
    ...{ conditions: [], userId: null },
    metrics: isConversion ? ["conversions"] : [],
    goal: isConversion ? question.changes.goal : null,
  };
}

const added = (answer: unknown, warnings: readonly CountingWarning[]): unknown =>
  warnings.length === 0 ? answer : { ...Object(answer), warnings };

const countingOf = ({ code, field, property, events }: Warning): CountingWarning[] =>
  counting.has(code) ? [{ code, about: field ?? property ?? "", events: events ?? null }] : [];
const counting: ReadonlySet<Warning["code"]> = new Set([
  ...(["missing_left_out", "text_numbers"] as const),
  ...(["goal_without_session", "other_events_carry"] as const),
]);

/** The dates that warnings are about; null for what is compared without the rest of its answer, or has no filters. */
function datesOf(question: Question): ModelDays | null {
  switch (question.ask) {
    case "stats":
    case "query":
    case "compared":
    case "changes":
    case "properties":
    case "distribution":
    case "heatmap":
    case "insights":
    case "pages":
    case "breakdown":
      return question.days;
    case "retention": {
      const { periods } = question.retention;
      return { ...periods[0], to: periods[periods.length - 1].to };
    }
    default:
      return null;
  }
}

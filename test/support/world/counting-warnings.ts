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
  const { conditions, metrics, userId } = "query" in question ? question.query : ofNoQuery;
  const items = [...conditions, ...filters];
  return added(answer, countingWarnings(model, { days, items, metrics, userId }));
}
const ofNoQuery = { conditions: [], metrics: [], userId: null };

const added = (answer: unknown, warnings: readonly CountingWarning[]): unknown =>
  warnings.length === 0 ? answer : { ...Object(answer), warnings };

const countingOf = ({ code, field, property, events }: Warning): CountingWarning[] =>
  (code === "missing_left_out" || code === "text_numbers") && events !== undefined
    ? [{ code, about: field ?? property ?? "", events }]
    : [];

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

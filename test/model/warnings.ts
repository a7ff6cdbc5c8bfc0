import { FilteredModel, type ModelItem } from "./filtered";
import { type Model, type ModelCondition, type ModelDays, own } from "./model";

/** What a read is about, as far as warnings count events. */
export interface WarnedQuestion {
  readonly days: ModelDays;
  readonly items: readonly ModelItem[];
  readonly metrics: readonly string[];
  /** The person that the read is about. */
  readonly userId: string | null;
}
export interface CountingWarning {
  readonly code: string;
  /** The filter's field, or the property. */
  readonly about: string;
  readonly events: number;
}

/** The warnings that count events, in order (definitions.md, Filters). */
export function countingWarnings(model: Model, question: WarnedQuestion): CountingWarning[] {
  const { days, items, metrics, userId } = question;
  const person = userId === null ? null : model.behind(userId);
  const matching = (filters: readonly ModelItem[]) =>
    new FilteredModel(model, filters, days)
      .events(days)
      .filter(({ user }) => person === null || user === person);
  const found: CountingWarning[] = [];
  for (const item of items) {
    if ("any" in item || "did" in item || item.op !== "neq" || always.includes(item.field))
      continue;
    const missing: ModelCondition = { field: item.field, op: "is_null", value: "" };
    const left = matching(items.map((one) => (one === item ? missing : one)));
    found.push({ code: "missing_left_out", about: item.field, events: left.length });
  }
  for (const key of new Set(metrics.flatMap(keyMeasured))) {
    const texts = matching(items).filter((event) => isTextNumber(own(event, key)));
    found.push({ code: "text_numbers", about: key, events: texts.length });
  }
  return found.filter(({ events }) => events > 0);
}

const always = ["event", "date", "timestamp"];

function keyMeasured(metric: string): string[] {
  const [measure, key] = metric.split(":properties.");
  return key === undefined || measure === "distinct" ? [] : [key];
}

/** JSON.parse alone would pass over white space. */
function isTextNumber(value: unknown): boolean {
  if (typeof value !== "string" || value.trim() !== value) return false;
  try {
    return typeof JSON.parse(value) === "number";
  } catch {
    return false;
  }
}

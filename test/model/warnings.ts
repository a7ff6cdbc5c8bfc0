import { FilteredModel, type ModelItem, windowOf } from "./filtered";
import { oncePerValue } from "./goal-events";
import { eventsOfGoal, type ModelGoal } from "./goals";
import {
  isOn,
  type Model,
  type ModelCondition,
  type ModelDays,
  type ModelEvent,
  own,
} from "./model";

/** What a read is about, as far as warnings count events. */
export interface WarnedQuestion {
  readonly days: ModelDays;
  readonly items: readonly ModelItem[];
  readonly metrics: readonly string[];
  /** The person that the read is about. */
  readonly userId: string | null;
  readonly goal: ModelGoal | null;
  /** The key of which each value counts once. */
  readonly oncePer?: string | undefined;
}
export interface CountingWarning {
  readonly code: string;
  /** The filter's field, or the property. */
  readonly about: string;
  /** Null for a warning that says only that there are some. */
  readonly events: number | null;
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
  const rows = matching(items);
  return [
    ...found.filter(({ events }) => events !== 0),
    ...aboutGoal(
      model,
      question,
      question.oncePer === undefined ? rows : oncePerValue(rows, question.oncePer),
    ),
  ];
}

/** The warnings about a goal (definitions.md, Filters); `rows` are the events that count for the metrics. */
function aboutGoal(
  model: Model,
  { days, goal, metrics }: WarnedQuestion,
  rows: readonly ModelEvent[],
): CountingWarning[] {
  if (goal === null) return [];
  const { value: key } = goal;
  const reached = eventsOfGoal(model, goal, windowOf(model, days), days.zone);
  const dated = [...reached].filter(({ timeMs }) => isOn(timeMs, days));
  const found: CountingWarning[] = [];
  const asksFor = (names: readonly string[]) => names.some((name) => metrics.includes(name));
  const stray = dated.filter(({ session }) => session === null).length;
  if (asksFor([...ofSessions, ...ofMoney]) && stray > 0)
    found.push({ code: "goal_without_session", about: "", events: stray });
  if (key === undefined) return found;
  const texts = dated.filter((event) => isTextNumber(own(event, key))).length;
  if (asksFor(ofMoney) && texts > 0)
    found.push({ code: "text_numbers", about: key, events: texts });
  const isOther = (event: ModelEvent): boolean =>
    typeof own(event, key) === "number" && !reached.has(event);
  if (metrics.flatMap(keyMeasured).includes(key) && rows.some(isOther))
    found.push({ code: "other_events_carry", about: key, events: null });
  return found;
}
const ofSessions = ["conversions", "conversion_rate", "goal_events", "goal_users"];
const ofMoney = ["revenue", "average_value", "revenue_per_session"];

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

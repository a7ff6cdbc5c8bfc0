import type { Cell, ComparedAnswer, QueryAnswer, Row } from "./answers";

export type MaybeCompared = QueryAnswer | ComparedAnswer;

/** Columns of a compared answer, beside that of the metric itself. */
const beforePrefix = "previous.";
const changePrefix = "change_pct.";

export const isCompared = (answer: MaybeCompared): answer is ComparedAnswer =>
  "previous_period" in answer;

/** A column has the value of a metric, its value in the other period, or the change in percent. */
export function columnOf(name: string): { kind: "now" | "before" | "change"; metric: string } {
  if (name.startsWith(beforePrefix)) {
    return { kind: "before", metric: name.slice(beforePrefix.length) };
  }
  if (name.startsWith(changePrefix)) {
    return { kind: "change", metric: name.slice(changePrefix.length) };
  }
  return { kind: "now", metric: name };
}

/** Returns a number's value in the other period. */
export const beforeIn = (row: Row | undefined, metric: string): number =>
  Number(row?.[beforePrefix + metric] ?? 0);

export const columnsOf = (answer: MaybeCompared): readonly string[] =>
  isCompared(answer)
    ? answer.metrics.flatMap((metric) => [metric, beforePrefix + metric, changePrefix + metric])
    : answer.metrics;

/** The other period's numbers as cells of the same row, as the table and its file show them. */
export function flatRows(answer: MaybeCompared): readonly Row[] {
  if (!isCompared(answer)) return answer.rows;
  return answer.rows.map((row) => {
    const cells: Record<string, Cell> = {};
    for (const [name, value] of Object.entries(row)) {
      if (typeof value !== "object" || value === null) cells[name] = value;
      else for (const [metric, inner] of Object.entries(value)) cells[`${name}.${metric}`] = inner;
    }
    return cells;
  });
}

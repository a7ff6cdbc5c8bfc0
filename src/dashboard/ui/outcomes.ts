import type { Row } from "../data/answers";
import { beforeIn, flatRows, isCompared, type MaybeCompared } from "../data/compared";
import type { GoalRow, GoalRowsAnswer } from "../data/goal-rows";
import * as queries from "../data/queries";
import { useRead } from "../data/reads";
import { exact, percent } from "../lib/format";
import { money, shortMoney } from "../lib/money";
import { param } from "../state/route";
import { scope } from "../state/scope";
import type { BarRow, MoreColumn } from "./bar-list";

/** Returns the goal that the address names; null before its numbers arrive, and if there is no such goal. */
export function useChosenGoal(): GoalRow | null {
  const id = param("goal");
  const request = id === "" ? null : queries.goals(scope.value);
  const { data } = useRead<GoalRowsAnswer>("Goals", request);
  return data?.rows.find(({ goal }) => goal.id === id) ?? null;
}

/** The columns for a goal in a list. A goal without a value has no revenue. */
const outcomeColumns = ({ revenue, currency }: GoalRow): readonly MoreColumn[] => [
  { name: "Conversion rate", format: percent, isRate: true },
  ...(revenue === null
    ? []
    : [{ name: "Revenue", format: (value: number) => shortMoney(value, currency) }]),
];

type Cells = NonNullable<BarRow["more"]>;

/** The numbers of a goal for one value of a list. */
function cellsOf(row: Row | undefined, { revenue, currency }: GoalRow, hasBefore: boolean): Cells {
  if (row === undefined) return [];
  const numberIn = (metric: string): number | null => {
    const value = row[metric];
    return typeof value === "number" ? value : null;
  };
  const beforeOf = (metric: string) => (hasBefore ? { before: beforeIn(row, metric) } : {});
  const [reached, sessions] = [numberIn("conversions") ?? 0, numberIn("session_count") ?? 0];
  const sum = numberIn("revenue");
  return [
    {
      ...{ value: numberIn("conversion_rate"), ...beforeOf("conversion_rate") },
      ...{ title: `${exact(reached)} of ${exact(sessions)} sessions` },
      base: beforeIn(row, "session_count"),
    },
    ...(revenue === null
      ? []
      : [
          {
            ...{ value: sum, ...beforeOf("revenue"), base: beforeIn(row, "conversions") },
            ...(sum !== null && { title: money(sum, currency) }),
          },
        ]),
  ];
}

/** The columns of the chosen goal for a list, and the cells of each of its values; none while no goal is chosen. */
export function useOutcomes(field: string, metric: string, hasDelta: boolean) {
  const goal = useChosenGoal();
  const request =
    goal === null ? null : queries.outcomesOf(scope.value, field, metric, goal.goal.id);
  const { data, isStale } = useRead<MaybeCompared>(`${goal?.goal.name ?? ""} by ${field}`, request);
  if (goal === null) return { columns: [], cellsOf: (): Cells => [] };
  const hasBefore = hasDelta && data !== undefined && isCompared(data);
  // The list may already show another period: leave out the numbers of the old one.
  const answered = data === undefined || isStale ? [] : flatRows(data);
  const rows = new Map(
    answered.filter((row) => row[field] !== null).map((row) => [String(row[field]), row]),
  );
  return {
    columns: outcomeColumns(goal),
    cellsOf: (value: string): Cells => cellsOf(rows.get(value), goal, hasBefore),
  };
}

import { useState } from "preact/hooks";
import { LineChart, type Series } from "../../charts/line-chart";
import type { Cell, Row } from "../../data/answers";
import { datesOf, longDate, shortDate } from "../../lib/dates";
import { countryName, duration, exact, percent, short } from "../../lib/format";
import { durationTicks, ticks } from "../../lib/scale";
import { addFilter } from "../../state/route";
import { scope } from "../../state/scope";
import { Tabs } from "../../ui/card";
import { Scroll } from "../../ui/scroll";
import { groupNames, metricNames } from "./state";

const formatOf = (metric: string): ((value: number) => string) =>
  metric === "bounce_rate" ? percent : metric === "avg_duration" ? duration : short;
const exactOf = (metric: string): ((value: number) => string) =>
  metric === "bounce_rate"
    ? (value) => `${(value * 100).toFixed(1)}%`
    : metric === "avg_duration"
      ? duration
      : exact;
const ticksOf = (metric: string, max: number): number[] =>
  metric === "bounce_rate"
    ? ticks(max * 100, 5).map((tick) => tick / 100)
    : metric === "avg_duration"
      ? durationTicks(max, 5)
      : ticks(max, 5);

const textOf = (column: string, value: Cell): string => {
  if (value === null) return "(none)";
  if (column === "country") return countryName(String(value));
  if (column === "date") return longDate(String(value));
  return typeof value === "number" ? exactOf(column)(value) : value === "" ? "(empty)" : value;
};

const linesMax = 6;

/** By day: one line, or one for each of the largest groups. Otherwise the table says it better. */
export function ResultChart({
  rows,
  metrics,
  groups,
  isCut,
}: {
  readonly rows: readonly Row[];
  readonly metrics: readonly string[];
  readonly groups: readonly string[];
  readonly isCut: boolean;
}) {
  const [chosen, setChosen] = useState(metrics[0] ?? "");
  const metric = metrics.includes(chosen) ? chosen : (metrics[0] ?? "");
  const { period } = scope.value;
  // Newest days come first: of a cut answer the oldest day is not whole, and before it nothing is known.
  const known = isCut ? String(rows.at(-1)?.date ?? "") : "";
  const dates = datesOf(period.from, period.to).filter((date) => date > known);
  if (dates.length < 2) return null;
  const [by] = groups.filter((group) => group !== "date");
  const names = by === undefined ? [""] : largest(rows, by, metric);
  const series: Series[] = names.map((name, i) => {
    const values = new Map(
      rows
        .filter((row) => by === undefined || String(row[by]) === name)
        .map((row) => [row.date, Number(row[metric] ?? 0)]),
    );
    return {
      name: by === undefined ? (metricNames[metric] ?? metric) : textOf(by, name),
      kind: by === undefined ? "main" : `s${i + 1}`,
      values: dates.map((date) => values.get(date) ?? 0),
    };
  });
  const max = Math.max(
    ...series.flatMap(({ values }) => values.map((value) => value ?? 0)),
    metric === "bounce_rate" ? 0.01 : 1,
  );
  return (
    <>
      {metrics.length > 1 && (
        <Tabs
          label="Number in the chart"
          value={metric}
          options={metrics.map((one) => [one, metricNames[one] ?? one])}
          choose={setChosen}
        />
      )}
      <LineChart
        title={metricNames[metric] ?? metric}
        labels={dates.map(longDate)}
        axis={dates.map(shortDate)}
        series={series}
        ticks={ticksOf(metric, max)}
        format={formatOf(metric)}
        formatExact={exactOf(metric)}
        isOpen={period.isOpen}
        height={248}
      />
      {series.length > 1 && (
        <ul class="legend">
          {series.map(({ name, kind }) => (
            <li key={name}>
              <i class={`swatch ${kind}`} />
              {name}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function largest(rows: readonly Row[], by: string, metric: string): string[] {
  const sums = new Map<string, number>();
  for (const row of rows)
    sums.set(String(row[by]), (sums.get(String(row[by])) ?? 0) + Number(row[metric] ?? 0));
  return [...sums]
    .sort((a, b) => b[1] - a[1])
    .slice(0, linesMax)
    .map(([name]) => name);
}

const shownMax = 200;

/** The rows of the answer; a head sorts, a group's cell filters. */
export function ResultTable({
  rows,
  columns,
}: {
  readonly rows: readonly Row[];
  readonly columns: readonly string[];
}) {
  const [order, setOrder] = useState<{ column: string; isUp: boolean } | null>(null);
  const sorted =
    order === null
      ? rows
      : [...rows].sort(
          (a, b) =>
            compare(a[order.column] ?? null, b[order.column] ?? null) * (order.isUp ? 1 : -1),
        );
  const [lead] = columns.filter(
    (column) =>
      typeof rows[0]?.[column] === "number" &&
      column !== "bounce_rate" &&
      column !== "avg_duration",
  );
  const max =
    lead === undefined || columns.includes("date")
      ? 0
      : Math.max(...rows.map((row) => Number(row[lead] ?? 0)), 1);
  return (
    <Scroll label="Rows">
      <table class="grid">
        <thead>
          <tr>
            {columns.map((column) => {
              const isSorted = order?.column === column;
              return (
                <th
                  key={column}
                  scope="col"
                  class={isNumber(rows, column) ? "num" : ""}
                  aria-sort={isSorted ? (order.isUp ? "ascending" : "descending") : "none"}
                >
                  <button
                    type="button"
                    onClick={() =>
                      setOrder({ column, isUp: isSorted ? !order.isUp : !isNumber(rows, column) })
                    }
                  >
                    {metricNames[column] ?? groupNames[column] ?? column}
                    {isSorted ? (order.isUp ? " ↑" : " ↓") : ""}
                  </button>
                </th>
              );
            })}
          </tr>
        </thead>
        <tbody>
          {sorted.slice(0, shownMax).map((row, i) => (
            <tr key={i}>
              {columns.map((column) => (
                <CellOf
                  key={column}
                  column={column}
                  value={row[column] ?? null}
                  isNumber={isNumber(rows, column)}
                  share={column === lead && max > 0 ? Number(row[column]) / max : null}
                />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > shownMax && (
        <p class="card-note">
          The first {shownMax} of {exact(rows.length)} rows; CSV has all.
        </p>
      )}
    </Scroll>
  );
}

function CellOf({
  column,
  value,
  isNumber: isNum,
  share,
}: {
  readonly column: string;
  readonly value: Cell;
  readonly isNumber: boolean;
  readonly share: number | null;
}) {
  const text = textOf(column, value);
  if (isNum) {
    return (
      <td class="num meter">
        {share !== null && <i class="meter-bar" style={{ inlineSize: `${share * 100}%` }} />}
        <span>{text}</span>
      </td>
    );
  }
  if (value === null || column === "date") return <td>{text}</td>;
  const field = column in groupNames ? column : `properties.${column}`;
  return (
    <td class="long">
      <button
        type="button"
        class="plain link"
        title="Filter by this"
        onClick={() => addFilter({ field, op: "eq", value: String(value) })}
      >
        <bdi>{text}</bdi>
      </button>
    </td>
  );
}

const isNumber = (rows: readonly Row[], column: string): boolean =>
  typeof rows[0]?.[column] === "number";
const compare = (a: Cell, b: Cell): number =>
  typeof a === "number" && typeof b === "number"
    ? a - b
    : String(a ?? "") < String(b ?? "")
      ? -1
      : 1;

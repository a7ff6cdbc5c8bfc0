import { useState } from "preact/hooks";
import type { Series } from "../../charts/geometry";
import { LineChart } from "../../charts/line-chart";
import type { Cell, QueryAnswer, Row } from "../../data/answers";
import { columnOf } from "../../data/compared";
import { datesOf, hourNow, longDate, monthText, shortDate, today } from "../../lib/dates";
import { countryName, duration, exact, percent, short } from "../../lib/format";
import { durationTicks, ticks } from "../../lib/scale";
import type { Filter } from "../../state/filters";
import { scope } from "../../state/scope";
import { Tabs } from "../../ui/card";
import { FilterButton } from "../../ui/filter-button";
import { Said } from "../../ui/said";
import { Scroll } from "../../ui/scroll";
import { groupName, metricName, timeGroupOf } from "./question";

const isShare = (metric: string): boolean =>
  metric === "bounce_rate" || metric === "conversion_rate";
const formatOf = (metric: string): ((value: number) => string) =>
  isShare(metric) ? percent : metric === "avg_duration" ? duration : short;
const exactOf = (metric: string): ((value: number) => string) =>
  isShare(metric)
    ? (value) => `${(value * 100).toFixed(1)}%`
    : metric === "avg_duration"
      ? duration
      : exact;
const ticksOf = (metric: string, max: number): number[] =>
  isShare(metric)
    ? ticks(max * 100, 5).map((tick) => tick / 100)
    : metric === "avg_duration"
      ? durationTicks(max, 5)
      : ticks(max, 5);

const numberText = (column: string, value: Cell): string => {
  if (value === null) return "–";
  const { kind, metric } = columnOf(column);
  if (kind !== "change") return exactOf(metric)(Number(value));
  return `${Number(value) > 0 ? "+" : ""}${exact(Number(value))}%`;
};

const textOf = (column: string, value: Cell): string => {
  if (value === null) return "(none)";
  if (column.endsWith("country")) return countryName(String(value));
  if (column === "date") return longDate(String(value));
  if (column === "hour")
    return `${longDate(String(value).slice(0, 10))} ${String(value).slice(11)}`;
  if (column === "weekday") return weekdays[Number(value)] ?? "";
  if (column === "hour_of_day") return `${String(value).padStart(2, "0")}:00`;
  if (column === "month") return monthText(String(value));
  if (column === "week") return `Week of ${longDate(String(value))}`;
  return typeof value === "number" ? exactOf(column)(value) : value === "" ? "(empty)" : value;
};

const weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

const linesMax = 6;

/** Returns the labels of the axis: every day and hour of the period, and the weeks and months that were found. */
function bucketsOf(by: string, { rows, groups_total }: QueryAnswer): string[] {
  const found = [...new Set(rows.map((row) => String(row[by])))].sort();
  if (by !== "date" && by !== "hour") return found;
  const { period } = scope.value;
  const dates = datesOf(period.from, period.to);
  const all =
    by === "date"
      ? dates
      : dates.flatMap((date) => [...Array(24).keys()].map((hour) => hourText(date, hour)));
  // The newest come first: of a cut answer the oldest one is not whole, and before it nothing is known.
  const known = groups_total === undefined ? "" : (found[0] ?? "");
  const now = hourText(today(), hourNow());
  return all.filter((one) => one > known && (by === "date" || one <= now));
}
const hourText = (date: string, hour: number): string =>
  `${date}T${String(hour).padStart(2, "0")}:00`;

/** Over time: one line, or one for each of the largest groups. Otherwise the table says it better. */
export function ResultChart({ answer }: { readonly answer: QueryAnswer }) {
  const { rows, metrics, group_by: groups } = answer;
  const [chosen, setChosen] = useState(metrics[0] ?? "");
  const metric = metrics.includes(chosen) ? chosen : (metrics[0] ?? "");
  const time = timeGroupOf(groups) ?? "date";
  const buckets = bucketsOf(time, answer);
  if (buckets.length < 2) return null;
  const [by] = groups.filter((group) => group !== time);
  const names = by === undefined ? [""] : largest(rows, by, metric);
  const series: Series[] = names.map((name, i) => {
    const values = new Map(
      rows
        .filter((row) => by === undefined || String(row[by]) === name)
        .map((row) => [String(row[time]), row[metric] ?? null]),
    );
    return {
      name: by === undefined ? metricName(metric) : textOf(by, name),
      kind: by === undefined ? "main" : `s${i + 1}`,
      // Without events a count is 0, and a measure has no value.
      values: buckets.map((one) => numberOf(values.get(one) ?? (isCount(metric) ? 0 : null))),
    };
  });
  const max = Math.max(
    ...series.flatMap(({ values }) => values.map((value) => value ?? 0)),
    isShare(metric) ? 0.01 : 1,
  );
  return (
    <>
      {metrics.length > 1 && (
        <Tabs
          label="Metric in the chart"
          value={metric}
          options={metrics.map((one) => [one, metricName(one)])}
          choose={setChosen}
        />
      )}
      <LineChart
        title={metricName(metric)}
        labels={buckets.map((one) => textOf(time, one))}
        axis={buckets.map((one) =>
          time === "month" ? monthText(one) : shortDate(one.slice(0, 10)),
        )}
        series={series}
        ticks={ticksOf(metric, max)}
        format={formatOf(metric)}
        formatExact={exactOf(metric)}
        isOpen={scope.value.period.isOpen}
        height={248}
      />
      {series.length > 1 && (
        <ul class="legend">
          {series.map(({ name, kind }) => (
            <li key={name}>
              <i class={`swatch ${kind}`} />
              <Said text={name} />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

/** Rows that are not there are 0 of a count, and no number of anything else. */
const isCount = (metric: string): boolean =>
  !metric.includes(":") || metric.startsWith("distinct:");
const numberOf = (cell: Cell): number | null => (cell === null ? null : Number(cell));

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
  groups,
  metrics,
}: {
  readonly rows: readonly Row[];
  readonly groups: readonly string[];
  readonly metrics: readonly string[];
}) {
  const [order, setOrder] = useState<{ column: string; isUp: boolean } | null>(null);
  const sorted =
    order === null
      ? rows
      : [...rows].sort(
          (a, b) =>
            compare(a[order.column] ?? null, b[order.column] ?? null) * (order.isUp ? 1 : -1),
        );
  const lead = metrics.find((metric) => isCount(metric) && !isRate(metric));
  const max =
    lead === undefined || timeGroupOf(groups) !== undefined
      ? 0
      : Math.max(...rows.map((row) => Number(row[lead] ?? 0)), 1);
  return (
    <Scroll label="Rows">
      <table class="grid">
        <thead>
          <tr>
            {[...groups, ...metrics].map((column) => {
              const isSorted = order?.column === column;
              const isNumber = metrics.includes(column);
              return (
                <th
                  key={column}
                  scope="col"
                  class={isNumber ? "num" : ""}
                  aria-sort={isSorted ? (order.isUp ? "ascending" : "descending") : "none"}
                >
                  <button
                    type="button"
                    onClick={() => setOrder({ column, isUp: isSorted ? !order.isUp : !isNumber })}
                  >
                    {isNumber ? metricName(column) : groupName(column)}
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
              {groups.map((group) => (
                <GroupCell key={group} group={group} value={row[group] ?? null} />
              ))}
              {metrics.map((metric) => (
                <NumberCell
                  key={metric}
                  text={numberText(metric, row[metric] ?? null)}
                  share={metric === lead && max > 0 ? Number(row[metric]) / max : null}
                />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > shownMax && (
        <p class="card-note">
          Showing {shownMax} of {exact(rows.length)} rows. Download the CSV for all.
        </p>
      )}
    </Scroll>
  );
}

const isRate = (metric: string): boolean => isShare(metric) || metric === "avg_duration";

const NumberCell = ({ text, share }: { readonly text: string; readonly share: number | null }) => (
  <td class="num meter">
    {share !== null && <i class="meter-bar" style={{ inlineSize: `${share * 100}%` }} />}
    <span>{text}</span>
  </td>
);

function GroupCell({ group, value }: { readonly group: string; readonly value: Cell }) {
  const text = textOf(group, value);
  if (timeGroupOf([group]) !== undefined) return <td>{text}</td>;
  const filter: Filter =
    value === null
      ? { field: group, op: "is_null" }
      : { field: group, op: "eq", value: String(value) };
  return (
    <td class="long">
      <FilterButton filter={filter} text={text} />
    </td>
  );
}

const compare = (a: Cell, b: Cell): number =>
  typeof a === "number" && typeof b === "number"
    ? a - b
    : String(a ?? "") < String(b ?? "")
      ? -1
      : 1;

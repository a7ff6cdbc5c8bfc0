import { useState } from "preact/hooks";
import type { Note, Series } from "../../charts/geometry";
import { LineChart } from "../../charts/line-chart";
import { clock, dateAt, fullDate, rangeText } from "../../lib/dates";
import { zone } from "../../lib/zone";
import { type Bucket, bucketsFor } from "../../state/period";
import { may } from "../../state/rights";
import { compareMode, period, set, setPeriod } from "../../state/route";
import { scope } from "../../state/scope";
import { Card, Tabs } from "../../ui/card";
import { Scroll } from "../../ui/scroll";
import { When } from "../../ui/states";
import { TableButton } from "../../ui/table-button";
import { Why } from "../../ui/why";
import type { ChartPoint, Overview } from "./data";
import { importedIn, knownIn, type Metric } from "./metrics";
import { NoteForm } from "./note";

export function Timeline({
  overview,
  metric,
}: {
  readonly overview: Overview;
  readonly metric: Metric;
}) {
  const [isTable, setTable] = useState(false);
  const { length, overTime, buckets } = overview;
  return (
    <Card
      about={metric.column}
      title={`${metric.name} by ${lengthNames[length]}`}
      wide
      tabs={<Legend overview={overview} />}
      tools={
        <>
          {metric.why !== undefined && overview.hasBefore && <Why own={metric.why} />}
          <Lengths length={length} />
          <TableButton isTable={isTable} toggle={() => setTable(!isTable)} />
        </>
      }
    >
      <When<unknown> reading={overTime} rows={7}>
        {() =>
          isTable ? (
            <Table buckets={buckets} metric={metric} />
          ) : (
            <Chart buckets={buckets} metric={metric} overview={overview} />
          )
        }
      </When>
    </Card>
  );
}

const lengthNames = { hour: "hour", date: "day", week: "week", month: "month" } as const;

/** The choice of the length of the buckets. */
function Lengths({ length }: { readonly length: Bucket }) {
  const options = bucketsFor(period.value);
  return options.length < 2 ? null : (
    <Tabs
      label="By"
      value={length}
      options={options.map((name) => [name, lengthNames[name]])}
      choose={(name) => set({ bucket: name }, true)}
    />
  );
}

/** Says which days the lines are, and how an unfinished day is compared. */
function Legend({ overview }: { readonly overview: Overview }) {
  const { isOneDay, earlier, comparedUntil, history } = overview;
  const { period: now, comparison } = scope.value;
  return (
    <ul class="legend">
      <li>
        <i class="swatch" />
        {now.key === "all" ? now.label : rangeText(now.from, now.to)}
      </li>
      {comparison !== null && (
        <li>
          <i class="swatch before" />
          {rangeText(comparison.from, comparison.to)}
        </li>
      )}
      {history.legend !== "" && (
        <li>
          {history.rows.size > 0 && <i class="swatch imported" />}
          {history.legend}
        </li>
      )}
      {comparison !== null && earlier !== null && (
        <li class="fine warn">stored since {fullDate(earlier)}, so totals are not compared</li>
      )}
      {comparedUntil !== undefined && earlier === null && (
        <li
          class="fine"
          title="The changes in the tiles compare both periods up to the same time of day."
        >
          {isOneDay ? "" : "today is dashed; "}totals compared up to{" "}
          {clock(Date.parse(comparedUntil)).slice(0, 5)} {zone.value}
        </li>
      )}
    </ul>
  );
}

function Chart({
  buckets,
  metric,
  overview,
}: {
  readonly buckets: readonly ChartPoint[];
  readonly metric: Metric;
  readonly overview: Overview;
}) {
  const [noted, setNoted] = useState<string | null>(null);
  const canNote = may("edit") && overview.length !== "hour";
  const hasBefore = compareMode.value !== "none";
  const now = buckets.map((bucket) => knownIn(bucket.now, metric));
  const before = buckets.map((bucket) => knownIn(bucket.before, metric));
  const imported = buckets.map((bucket) => importedIn(bucket.imported, metric));
  const max = Math.max(
    ...imported.map((value) => value ?? 0),
    ...now.map((value) => value ?? 0),
    ...(hasBefore ? before.map((value) => value ?? 0) : []),
    metric.isRate ? 0.01 : 1,
  );
  const series: Series[] = [
    { name: metric.name, kind: "main", values: now, labels: buckets.map(({ label }) => label) },
  ];
  if (hasBefore)
    series.push({
      name: "Before",
      kind: "before",
      values: before,
      labels: buckets.map(({ beforeLabel }) => beforeLabel),
    });
  if (imported.some((value) => value !== null))
    series.push({ name: "Imported", kind: "imported", values: imported });
  const notes: Note[] = (overview.context?.annotations ?? []).flatMap(
    ({ occurred_at, title, note }) => {
      const day = dateAt(occurred_at);
      const at = buckets.findIndex(({ date, end }) => date <= day && day <= end);
      return at < 0 || overview.length === "hour" ? [] : [{ at, title, text: note }];
    },
  );
  return (
    <>
      <LineChart
        title={`${metric.name}, ${period.value.label}`}
        labels={buckets.map(({ label }) => label)}
        axis={buckets.map(({ axis }) => axis)}
        series={series}
        ticks={metric.ticks(max)}
        format={metric.format}
        formatExact={metric.exact}
        isOpen={period.value.isOpen}
        notes={notes}
        height={matchMedia("(max-width: 40rem)").matches ? 208 : 272}
        {...(!overview.isOneDay && {
          chooseRange: (first: number, last: number) =>
            setPeriod(`${buckets[first]?.date}..${buckets[last]?.end}`),
        })}
        {...(canNote && { choosePlace: (at: number) => setNoted(buckets[at]?.date ?? null) })}
      />
      {noted !== null && <NoteForm date={noted} close={() => setNoted(null)} />}
    </>
  );
}

function Table({
  buckets,
  metric,
}: {
  readonly buckets: readonly ChartPoint[];
  readonly metric: Metric;
}) {
  const hasImported = buckets.some(({ imported }) => imported !== undefined);
  const said = (value: number | null) => (value === null ? "" : metric.exact(value));
  return (
    <Scroll label="Values" csv="days" class="tall">
      <table class="grid">
        <thead>
          <tr>
            <th scope="col">Time</th>
            <th scope="col" class="num">
              {metric.name}
            </th>
            <th scope="col" class="num">
              Before
            </th>
            {hasImported && (
              <th scope="col" class="num">
                Imported
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {[...buckets].reverse().map((bucket) => (
            <tr key={bucket.label}>
              <th scope="row">
                <time dateTime={bucket.start} title={bucket.start}>
                  {bucket.label}
                </time>
              </th>
              <td class="num">{said(knownIn(bucket.now, metric))}</td>
              <td class="num">{said(knownIn(bucket.before, metric))}</td>
              {hasImported && <td class="num">{said(importedIn(bucket.imported, metric))}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

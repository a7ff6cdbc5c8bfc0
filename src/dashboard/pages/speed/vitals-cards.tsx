import { LineChart } from "../../charts/line-chart";
import type { QueryAnswer, Row } from "../../data/answers";
import { useRead } from "../../data/reads";
import { datesOf, longDate, shortDate } from "../../lib/dates";
import { exact } from "../../lib/format";
import { param, set } from "../../state/route";
import { scope } from "../../state/scope";
import { Card } from "../../ui/card";
import { FilterButton } from "../../ui/filter-button";
import { filterOf } from "../../ui/list-values";
import { Cut } from "../../ui/property-card";
import { Scroll } from "../../ui/scroll";
import { When } from "../../ui/states";
import { NotRecorded } from "./not-recorded";
import { bucketFor, vitalsBy } from "./requests";
import { ratingOf, type Vital, vitals, worsening } from "./vitals";

const chosenVital = (): Vital => vitals.find(({ key }) => key === param("vital")) ?? vitals[0];

/** A date with fewer measurements than these says little about a page. */
const measurementsMin = 5;

/** The Core Web Vitals in all and over time, and beneath them by page and by device. */
export function VitalsCards() {
  const reading = useRead<QueryAnswer>("Web vitals", vitalsBy());
  return (
    <>
      <Card
        title="Core Web Vitals"
        about="query"
        wide
        note={"75th percentiles: three of four page views are at least as good."}
      >
        <When reading={reading}>
          {({ rows: [row] }) =>
            row === undefined || Number(row.event_count) === 0 ? (
              <NotRecorded attribute="data-track-vitals" />
            ) : (
              <>
                <Tiles row={row} />
                <OverTime />
              </>
            )
          }
        </When>
      </Card>
      <ByField title="Speed of pages" head="Page" field="properties.path" isJudged />
      <ByField title="Speed on devices" head="Device" field="session.device" />
    </>
  );
}

const Tiles = ({ row }: { readonly row: Row }) => (
  <>
    <div class="vitals" role="radiogroup" aria-label="Web vital">
      {vitals.map((vital) => (
        // biome-ignore lint/a11y/useSemanticElements: one of several buttons is pressed
        <button
          key={vital.key}
          type="button"
          role="radio"
          class="tile"
          aria-checked={vital === chosenVital()}
          onClick={() => set({ vital: vital === vitals[0] ? null : vital.key }, true)}
        >
          <span class="tile-name">
            {vital.name}: {vital.meaning}
          </span>
          <span class="tile-value">
            <Value value={row[vital.metric]} vital={vital} />
          </span>
          <span class="tile-note">
            good up to {vital.format(vital.goodMax)}, poor above {vital.format(vital.fairMax)}
          </span>
        </button>
      ))}
    </div>
    <p class="card-note">{exact(Number(row.event_count))} page views were measured.</p>
  </>
);

/** A value with its rating in words, as some people cannot tell the colours apart. */
function Value({
  value,
  vital,
}: {
  readonly value: Row[string] | undefined;
  readonly vital: Vital;
}) {
  if (typeof value !== "number") return <>–</>;
  const rating = ratingOf(value, vital);
  return (
    <>
      {vital.format(value)} <small class={`rating ${rating}`}>{rating}</small>
    </>
  );
}

function OverTime() {
  const vital = chosenVital();
  const by = bucketFor(1);
  const reading = useRead<QueryAnswer>("Web vitals over time", vitalsBy(by));
  if (scope.value.period.days < 2) return null;
  return (
    <When reading={reading}>
      {({ rows }) => {
        const days = datedRows(rows, by);
        const values = days.map(({ row }) => numberOf(row?.[vital.metric]));
        const top = Math.max(vital.fairMax, ...values.filter((value) => value !== null));
        const ticks = [0, vital.goodMax, vital.fairMax];
        const dates = days.map(({ date }) => date);
        return (
          <>
            <LineChart
              title={`${vital.name} over time`}
              labels={dates.map(longDate)}
              axis={dates.map(shortDate)}
              series={[{ name: `${vital.name}, 75th percentile`, kind: "main", values }]}
              ticks={top > vital.fairMax ? [...ticks, top] : ticks}
              format={vital.format}
              height={200}
              isOpen={scope.value.period.isOpen}
            />
            <Worse name="The site" values={days} vital={vital} />
          </>
        );
      }}
    </When>
  );
}

const numberOf = (value: Row[string] | undefined): number | null =>
  typeof value === "number" ? value : null;

interface Dated {
  readonly date: string;
  readonly row: Row | undefined;
}

/** The rows in the order of time; a date without measurements is a gap. */
function datedRows(rows: readonly Row[], by: "date" | "week" | "month"): Dated[] {
  const found = new Map(rows.map((row) => [String(row[by]), row]));
  const { from, to } = scope.value.period;
  const dates = by === "date" ? datesOf(from, to) : [...found.keys()].sort();
  return dates.map((date) => ({ date, row: found.get(date) }));
}

/** The dates with enough measurements, in order. */
const measured = (days: readonly Dated[], { metric }: Vital) =>
  days.flatMap(({ date, row }) => {
    const value = numberOf(row?.[metric]);
    return value === null || Number(row?.event_count) < measurementsMin ? [] : [{ date, value }];
  });

interface WorseProps {
  readonly name: string;
  readonly values: readonly Dated[];
  readonly vital: Vital;
}

function Worse({ name, values, vital }: WorseProps) {
  const change = worsening(measured(values, vital), vital);
  if (change === null) return null;
  const { date, before, since } = change;
  return (
    <p class="finding">
      {name} has been worse since {shortDate(date)}: {vital.name} was about {vital.format(before)}{" "}
      before and is about {vital.format(since)} since.
    </p>
  );
}

interface ByFieldProps {
  readonly title: string;
  readonly head: string;
  readonly field: string;
  /** Says since when a row has been worse. */
  readonly isJudged?: boolean;
}

function ByField({ title, head, field, isJudged = false }: ByFieldProps) {
  const reading = useRead<QueryAnswer>(title, vitalsBy(field));
  const by = bucketFor(20);
  const dated = useRead<QueryAnswer>(
    `${title} over time`,
    isJudged && scope.value.period.days > 1 ? vitalsBy(field, by) : null,
  );
  return (
    <Card title={title} about="query" wide>
      <When reading={reading}>
        {(answer) =>
          answer.rows.length === 0 ? (
            <NotRecorded attribute="data-track-vitals" />
          ) : (
            <>
              <Table
                {...{ title, head, field }}
                rows={answer.rows}
                worse={isJudged ? worseRows(dated.data?.rows ?? [], field, by) : null}
              />
              <Cut answer={answer} />
            </>
          )
        }
      </When>
    </Card>
  );
}

/** The date for each value since when its chosen vital has been worse. */
function worseRows(rows: readonly Row[], field: string, by: string): ReadonlyMap<string, string> {
  const vital = chosenVital();
  const found = new Map<string, Dated[]>();
  for (const row of rows) {
    const key = String(row[field]);
    const days = found.get(key) ?? [];
    days.push({ date: String(row[by]), row });
    found.set(key, days);
  }
  const texts = new Map<string, string>();
  for (const [key, days] of found) {
    const sorted = days.sort((a, b) => (a.date < b.date ? -1 : 1));
    const change = worsening(measured(sorted, vital), vital);
    if (change === null) continue;
    const { date, before, since } = change;
    texts.set(key, `${shortDate(date)}: ${vital.format(before)} → ${vital.format(since)}`);
  }
  return texts;
}

interface TableProps extends Omit<ByFieldProps, "isJudged"> {
  readonly rows: readonly Row[];
  readonly worse: ReadonlyMap<string, string> | null;
}

const Table = ({ title, head, field, rows, worse }: TableProps) => (
  <Scroll label={title} csv={title.toLowerCase().replaceAll(" ", "-")} class="tall">
    <table class="grid">
      <thead>
        <tr>
          <th scope="col">{head}</th>
          {vitals.map(({ key, name }) => (
            <th key={key} scope="col" class="num">
              {name}
            </th>
          ))}
          <th scope="col" class="num">
            Measured
          </th>
          {worse !== null && <th scope="col">{chosenVital().name} is worse since</th>}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => {
          const value = String(row[field] ?? "");
          return (
            <tr key={value}>
              <th scope="row" class="long">
                <FilterButton filter={filterOf(field, value)} text={value || "(none)"} />
              </th>
              {vitals.map((vital) => (
                <td key={vital.key} class="num">
                  <Value value={row[vital.metric]} vital={vital} />
                </td>
              ))}
              <td class="num">{exact(Number(row.event_count))}</td>
              {worse !== null && <td>{worse.get(value) ?? ""}</td>}
            </tr>
          );
        })}
      </tbody>
    </table>
  </Scroll>
);

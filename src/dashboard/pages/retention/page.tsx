import { LineChart } from "../../charts/line-chart";
import type { PropertiesAnswer, RetentionAnswer } from "../../data/answers";
import * as queries from "../../data/queries";
import { useRead } from "../../data/reads";
import type { ApiRequest } from "../../data/request";
import { addDays, shortDate } from "../../lib/dates";
import { exact, percent } from "../../lib/format";
import type { Period } from "../../state/period";
import { param, set } from "../../state/route";
import { scope } from "../../state/scope";
import { Card, Tabs } from "../../ui/card";
import { EventChoice } from "../../ui/event-choice";
import { Nothing } from "../../ui/nothing";
import { Scroll } from "../../ui/scroll";
import { When } from "../../ui/states";

type Unit = "day" | "week" | "month";
/** The most cohorts that the API answers. */
const cohortsMax: Readonly<Record<Unit, number>> = { day: 30, week: 12, month: 12 };
const units = [
  ["day", "Days"],
  ["week", "Weeks"],
  ["month", "Months"],
] as const;

/** The unit of the address; else one of which the period has several and no more than fit. */
function unitOf({ days }: Period): Unit {
  const usual = days <= 14 ? "day" : days <= 7 * cohortsMax.week + 7 ? "week" : "month";
  return units.find(([key]) => key === param("unit"))?.[0] ?? usual;
}

function request(): ApiRequest {
  const unit = unitOf(scope.value.period);
  return {
    method: "GET",
    path: "/retention",
    query: {
      project: scope.value.project,
      period: unit,
      cohorts: cohortsMax[unit],
      ...queries.dates(scope.value),
      ...queries.filtersText(scope.value),
      ...(param("first") !== "" && { event: param("first") }),
      ...(param("again") !== "" && { returning_event: param("again") }),
    },
  };
}

/** This page shows how many of those who came first in a period come again, period by period. */
export function RetentionPage() {
  const unit = unitOf(scope.value.period);
  const reading = useRead<RetentionAnswer>("Retention", request());
  const known = useRead<PropertiesAnswer>(
    "Events and property keys",
    queries.properties(scope.value),
  ).data;
  const events = known?.events.map(({ event }) => event) ?? [];
  return (
    <div class="retention">
      <section class="card controls" aria-label="Question">
        <Tabs label="Unit" value={unit} options={units} choose={(key) => set({ unit: key })} />
        <EventChoice label="First event" none="First session" name="first" events={events} />
        <EventChoice
          label="Returned with"
          none={param("first") === "" ? "Any session" : "Any event"}
          name="again"
          events={events}
        />
      </section>
      <When reading={reading} rows={12}>
        {(answer) => <Answer answer={answer} unit={unit} />}
      </When>
    </div>
  );
}

interface AnswerProps {
  readonly answer: RetentionAnswer;
  readonly unit: Unit;
}

function Answer({ answer, unit }: AnswerProps) {
  if (answer.cohorts.length === 0)
    return (
      <Nothing otherwise="another event or longer periods">
        No new visitors in these periods
      </Nothing>
    );
  const later = answer.average_rates.slice(1);
  const max = Math.max(...later, 0.01);
  const step = max > 0.5 ? 0.2 : max > 0.2 ? 0.1 : max > 0.08 ? 0.05 : 0.02;
  const ticks = Array.from({ length: Math.ceil(max / step) + 1 }, (_, i) => i * step);
  const [next] = later;
  return (
    <>
      <Card
        about="retention"
        title={next === undefined ? "Retention" : `${percent(next)} return in the next ${unit}`}
        wide
        note="Average of the cohorts whose period is complete."
      >
        {later.length > 1 && (
          <LineChart
            title="Share of returning visitors"
            labels={later.map((_, i) => `${unit} ${i + 1}`)}
            axis={later.map((_, i) => String(i + 1))}
            series={[{ name: "Returned", kind: "main", values: later }]}
            ticks={ticks}
            format={percent}
            formatExact={(value) => `${(value * 100).toFixed(1)}%`}
            height={180}
          />
        )}
      </Card>
      <Card
        about="retention"
        title={`Cohorts by ${unit}`}
        wide
        tools={<span class="fine">{exact(answer.users_analyzed)} visitors</span>}
      >
        <Cohorts answer={answer} unit={unit} max={max} />
      </Card>
    </>
  );
}

const nameOfCohort = (date: string, unit: Unit): string =>
  unit === "week"
    ? `${shortDate(date)} – ${shortDate(addDays(date, 6))}`
    : unit === "month"
      ? date.slice(0, 7)
      : shortDate(date);

/** Rows are cohorts, columns are periods after. The colour repeats the figure, on the scale of what is seen. */
function Cohorts({
  answer,
  unit,
  max,
}: {
  readonly answer: RetentionAnswer;
  readonly unit: Unit;
  readonly max: number;
}) {
  const columns = Math.max(...answer.cohorts.map(({ rates }) => rates.length));
  const top = Math.max(max, ...answer.cohorts.flatMap(({ rates }) => rates.slice(1)));
  return (
    <Scroll label="Cohorts" csv="cohorts">
      <table class="cohorts">
        <thead>
          <tr>
            <th scope="col">First seen</th>
            <th scope="col" class="num">
              Visitors
            </th>
            {Array.from({ length: columns - 1 }, (_, i) => (
              <th key={i} scope="col">
                {unit} {i + 1}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <tr class="mean">
            <th scope="row">Average</th>
            <td class="num">{exact(answer.users_analyzed)}</td>
            {Array.from({ length: columns - 1 }, (_, i) => {
              const rate = answer.average_rates[i + 1];
              return <td key={i}>{rate === undefined ? "" : percent(rate)}</td>;
            })}
          </tr>
          {answer.cohorts.map(({ date, users, rates, retained, complete }) => (
            <tr key={date}>
              <th scope="row">{nameOfCohort(date, unit)}</th>
              <td class="num">{exact(users)}</td>
              {rates.slice(1).map((rate, i) => {
                const isOpen = i + 1 >= complete;
                return (
                  <td
                    key={i}
                    data-level={rate === 0 ? 0 : Math.max(1, Math.ceil((rate / top) * 8))}
                    data-open={isOpen}
                    title={`${exact(retained[i + 1] ?? 0)} of ${exact(users)}${isOpen ? ", so far" : ""}`}
                  >
                    {percent(rate)}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

import { LineChart } from "../../charts/line-chart";
import type { PropertiesAnswer } from "../../data/answers";
import * as queries from "../../data/queries";
import { useRead } from "../../data/reads";
import type { ApiRequest } from "../../data/request";
import type { RetentionAnswer } from "../../data/retention-answers";
import { exact, percent } from "../../lib/format";
import { nameOf } from "../../state/filters";
import type { Period } from "../../state/period";
import { param, set } from "../../state/route";
import { scope } from "../../state/scope";
import { Card, Tabs } from "../../ui/card";
import { EventChoice } from "../../ui/event-choice";
import { Nothing } from "../../ui/nothing";
import { optionsFor } from "../../ui/options";
import { When } from "../../ui/states";
import { peopleMin, ratesOfEnough } from "./averages";
import { ByValue } from "./by-value";
import { Cohorts, type Unit } from "./cohorts";

/** The most cohorts that the API answers. */
const cohortsMax: Readonly<Record<Unit, number>> = { day: 30, week: 12, month: 12 };
const units = [
  ["day", "Days"],
  ["week", "Weeks"],
  ["month", "Months"],
] as const;

/** Returns the unit of the address; else one of which the period has several, and no more than fit. */
function unitOf({ days }: Period): Unit {
  const usual = days <= 14 ? "day" : days <= 7 * cohortsMax.week + 7 ? "week" : "month";
  return units.find(([key]) => key === param("unit"))?.[0] ?? usual;
}

/** The fields of the breakdown. The date of the first session is not one: cohorts are such dates. */
const fields: readonly string[] = [
  ...["source", "channel", "referrer", "utm_source", "utm_medium", "utm_campaign", "entry_page"],
  ...["country", "device"],
].map((name) => `user.first_${name}`);
const fieldOf = (): string | undefined => fields.find((field) => field === param("by"));
const valuesMax = 12;

function request(): ApiRequest {
  const unit = unitOf(scope.value.period);
  const by = fieldOf();
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
      ...(by !== undefined && { breakdown: by, breakdown_limit: valuesMax }),
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
        <label class="inline">
          By
          <select
            value={fieldOf() ?? ""}
            onChange={({ currentTarget }) => set({ by: currentTarget.value || null })}
          >
            <option value="">Nothing</option>
            {optionsFor(fields, nameOf)}
          </select>
        </label>
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
  const later = ratesOfEnough(answer);
  const by = fieldOf();
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
        note={
          next === undefined
            ? `The next ${unit} is complete for fewer than ${peopleMin} visitors, too few for a percentage.`
            : "Average of the cohorts whose period is complete."
        }
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
      {by !== undefined && answer.breakdowns !== undefined && (
        <ByValue answer={answer} field={by} unit={unit} />
      )}
      <Card
        about="retention"
        title={`Cohorts by ${unit}`}
        wide
        tools={<span class="fine">{exact(answer.users_analyzed)} visitors</span>}
      >
        <Cohorts answer={answer} unit={unit} />
      </Card>
    </>
  );
}

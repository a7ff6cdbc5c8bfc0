import type { ChangesAnswer, PropertiesAnswer } from "../../data/answers";
import * as queries from "../../data/queries";
import { useRead } from "../../data/reads";
import { rangeText } from "../../lib/dates";
import { exact } from "../../lib/format";
import { startedMeaning } from "../../lib/words";
import { filters, set } from "../../state/route";
import { scope } from "../../state/scope";
import { Card, Tabs } from "../../ui/card";
import { Delta } from "../../ui/delta";
import { EventChoice } from "../../ui/event-choice";
import { Nothing } from "../../ui/nothing";
import { Empty, When } from "../../ui/states";
import { type ChangeMetric, metricOf, metrics, nameOfDimension, requestOf } from "./state";
import { amount, oneDigit, Values } from "./values";

/** This page tells whether a period differs from the one before by more than chance, and which values explain it. */
export function ChangesPage() {
  const metric = metricOf();
  const request = requestOf(scope.value, metric);
  const reading = useRead<ChangesAnswer>("What changed", request);
  const known = useRead<PropertiesAnswer>(
    "Events and property keys",
    queries.properties(scope.value),
  ).data;
  const events = known?.events.map(({ event }) => event) ?? [];
  const isRate = metric === "conversion";
  return (
    <div class="stack">
      <section class="card controls" aria-label="Question">
        <Tabs
          label="Number"
          value={metric}
          options={metrics}
          choose={(key) => set({ metric: key === "events" ? null : key })}
        />
        <EventChoice
          label={isRate ? "Goal" : "Event"}
          none={isRate ? "Choose one" : "All events"}
          name="event"
          events={events}
        />
      </section>
      {request === null ? (
        <Empty>
          <strong>Choose a goal</strong>
          <p>Select your goal event above.</p>
        </Empty>
      ) : (
        <When reading={reading} rows={14}>
          {(answer) => <Answer answer={answer} />}
        </When>
      )}
    </div>
  );
}

function Answer({ answer }: { readonly answer: ChangesAnswer }) {
  const { current, previous, metric, drivers, dimensions, caveats, warnings = [] } = answer;
  if (current.value === 0 && previous.value === 0 && filters.value.length === 0) {
    return <Nothing>{warnings[0]?.message ?? "No events in either period"}</Nothing>;
  }
  const isCompared = answer.total.delta !== null;
  return (
    <div class="stack">
      <Card
        about="changes"
        title={titleOf(answer)}
        wide
        tools={
          isCompared && (
            <Delta now={current.value} before={previous.value} isRate={metric === "conversion"} />
          )
        }
        note={[
          ...(metric === "sessions" ? [startedMeaning] : []),
          ...warnings.map(({ message }) => message),
          ...caveats,
        ].join(" ")}
      >
        <p class="finding">
          <b>{amount(current.value, metric)}</b> from {rangeText(current.from, current.to)}
          {earlierText(answer)} {meaningOf(answer)}
        </p>
        {drivers.length > 0 && (
          <Values
            label="Main drivers"
            csv="drivers"
            metric={metric}
            rows={drivers.map((driver) => ({ ...driver, significant: true }))}
            hasDimension
          />
        )}
      </Card>
      <div class="halves tables">
        {dimensions.filter(isTold).map(({ dimension, values, other }) => (
          <Card
            about="changes"
            key={dimension}
            title={nameOfDimension(dimension)}
            note={
              other.values > 0
                ? `${exact(other.values)} other values together: ${signed(other.delta, metric)}.`
                : undefined
            }
          >
            <Values
              label={`Changes by ${nameOfDimension(dimension).toLowerCase()}`}
              csv={`changes-${dimension}`}
              metric={metric}
              rows={values.map((value) => ({ ...value, dimension }))}
            />
          </Card>
        ))}
      </div>
      <Untold dimensions={dimensions} />
    </div>
  );
}

/** Ends the sentence about the period by what was before it. */
function earlierText({ previous, metric, total }: ChangesAnswer): string {
  const value = amount(previous.value, metric);
  const dates = `the same weekdays from ${rangeText(previous.from, previous.to)}`;
  return total.delta === null
    ? `. On ${dates}, the stored events give ${value}.`
    : `, compared with ${value} on ${dates}.`;
}

type Dimension = ChangesAnswer["dimensions"][number];

const isTold = ({ values }: Dimension): boolean => values.some(({ value }) => value !== null);

/** Dimensions that no event has are named in one sentence, rather than shown as empty tables. */
function Untold({ dimensions }: Pick<ChangesAnswer, "dimensions">) {
  const names = dimensions
    .filter((one) => !isTold(one))
    .map(({ dimension }) => nameOfDimension(dimension).toLowerCase());
  if (names.length === 0) return null;
  return <p class="fine">Neither period has events with these fields: {names.join(", ")}.</p>;
}

const titles: Readonly<Record<ChangesAnswer["verdict"], string>> = {
  too_little_history: "Not enough history to compare",
  noise: "No significant change",
  broad: "A significant change across all values",
  specific: "A significant change in a few values",
};
const titleOf = ({ verdict }: ChangesAnswer): string => titles[verdict];

/** The verdict in a sentence, with the figures that it is made of. */
function meaningOf({
  verdict,
  total,
  needs,
  threshold,
  reference,
  drivers,
}: ChangesAnswer): string {
  const figures = `z-score ${oneDigit(total.z ?? 0)}; significant beyond ±${oneDigit(threshold ?? 0)}`;
  switch (verdict) {
    case "too_little_history": {
      const days = `A comparison needs ${needs?.dates ?? 0} earlier days; ${needs?.have ?? 0} are stored.`;
      return total.delta === null ? `${days} The comparison appears when there are enough.` : days;
    }
    case "noise":
      return `This is within the normal variation of the ${reference.dates} days before (${figures}).`;
    case "broad":
      return `All values moved together; none stands out (${figures}).`;
    default:
      return `${drivers.length === 1 ? "One value" : `${drivers.length} values`} changed more than the total.`;
  }
}

const signed = (value: number, metric: ChangeMetric): string =>
  `${value > 0 ? "+" : value < 0 ? "−" : ""}${amount(Math.abs(value), metric)}`;

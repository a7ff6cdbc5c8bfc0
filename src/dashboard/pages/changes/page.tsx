import { useState } from "preact/hooks";
import type { ChangesAnswer, PropertiesAnswer } from "../../data/answers";
import * as queries from "../../data/queries";
import { useRead } from "../../data/reads";
import { rangeText } from "../../lib/dates";
import { exact } from "../../lib/format";
import { startedMeaning } from "../../lib/words";
import { filters, period, set } from "../../state/route";
import { scope } from "../../state/scope";
import { Card, Tabs } from "../../ui/card";
import { Delta } from "../../ui/delta";
import { EventChoice } from "../../ui/event-choice";
import { useGoalNames } from "../../ui/goal-names";
import { Nothing } from "../../ui/nothing";
import { Said } from "../../ui/said";
import { Empty, When } from "../../ui/states";
import { type SortedDimensions, sortDimensions } from "./sort-dimensions";
import { metricDefault, metricOf, metrics, nameOfDimension, requestOf } from "./state";
import { amount, oneDigit, signedAmount, Values } from "./values";

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
          choose={(key) => set({ metric: key === metricDefault ? null : key })}
        />
        <EventChoice
          label={isRate ? "Goal" : "Event or goal"}
          none={isRate ? "Choose one" : "All events"}
          name="event"
          events={events}
          goals={useGoalNames()}
        />
      </section>
      {request === null ? (
        <Empty>
          <strong>Choose a goal</strong>
          <p>Select a goal or an event above.</p>
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
  const [isJudged, setJudged] = useState(false);
  const { current, previous, metric, verdict, drivers, warnings = [] } = answer;
  if (current.value === 0 && previous.value === 0 && filters.value.length === 0) {
    return <Nothing>{warnings[0]?.message ?? "No events in either period"}</Nothing>;
  }
  const sorted = sortDimensions(answer.dimensions);
  const isUnknown = verdict === "too_little_history";
  const repeated = sorted.repeated.map(([name]) => name);
  const ownDrivers = drivers.filter(({ dimension }) => !repeated.includes(dimension));
  return (
    <div class="stack">
      <Card
        about="changes"
        title={titleOf(answer)}
        wide
        tools={
          answer.total.delta !== null && (
            <Delta now={current.value} before={previous.value} isRate={metric === "conversion"} />
          )
        }
        note={warnings.map(({ message }) => message).join(" ")}
      >
        <p class="finding">
          <b>{amount(current.value, metric)}</b> <Counted answer={answer} /> from{" "}
          {rangeText(current.from, current.to)}
          {earlierText(answer)} {meaningOf(answer)}
        </p>
        {ownDrivers.length > 0 && (
          <Values
            label="Main drivers"
            csv="drivers"
            answer={answer}
            rows={ownDrivers.map((driver) => ({ ...driver, significant: true }))}
            isJudged={isJudged}
            hasDimension
          />
        )}
        {!isUnknown && (
          <details
            class="judged"
            open={isJudged}
            onToggle={(event) => setJudged(event.currentTarget.open)}
          >
            <summary>How this is judged</summary>
            <p>{judgementOf(answer)}</p>
          </details>
        )}
      </Card>
      {isUnknown && sorted.shown.length > 0 ? (
        <details class="unjudged">
          <summary>Show the numbers without a judgement</summary>
          <Dimensions answer={answer} sorted={sorted} isJudged={false} />
        </details>
      ) : (
        <Dimensions answer={answer} sorted={sorted} isJudged={isJudged} />
      )}
    </div>
  );
}

interface DimensionsProps {
  readonly answer: ChangesAnswer;
  readonly sorted: SortedDimensions;
  readonly isJudged: boolean;
}

function Dimensions({ answer, sorted, isJudged }: DimensionsProps) {
  const { missing, single, repeated } = sorted;
  const listed = (names: readonly string[]) => names.map(lowerName).join(", ");
  const same = repeated.map(([name, as]) => `${lowerName(name)} (as ${lowerName(as)})`);
  return (
    <div class="stack">
      <div class="halves tables">
        {sorted.shown.map(({ dimension, values, other }) => (
          <Card
            about="changes"
            key={dimension}
            title={nameOfDimension(dimension)}
            note={
              other.values > 0
                ? `${exact(other.values)} other values together: ${signedAmount(other.delta, answer.metric)}.`
                : undefined
            }
          >
            <Values
              label={`Changes by ${lowerName(dimension)}`}
              csv={`changes-${dimension}`}
              answer={answer}
              rows={values.map((value) => ({ ...value, dimension }))}
              isJudged={isJudged}
            />
          </Card>
        ))}
      </div>
      <p class="fine">
        {missing.length > 0 && `Neither period has events with these fields: ${listed(missing)}. `}
        {single.length > 0 && `Only one value: ${listed(single)}. `}
        {same.length > 0 &&
          `Not shown, because the rows have the same numbers: ${same.join(", ")}.`}
      </p>
    </div>
  );
}

const lowerName = (dimension: string): string => nameOfDimension(dimension).toLowerCase();

const units = {
  sessions: "sessions",
  users: "visitors",
  events: "events",
  conversion: "",
} as const;

/** Names the unit of the count: all sessions, visitors or events, or those with an event or a goal. */
function Counted({ answer }: { readonly answer: ChangesAnswer }) {
  const { metric, event, goal, current } = answer;
  const unit = current.value === 1 ? units[metric].replace(/s$/, "") : units[metric];
  const name = goal?.name ?? event;
  if (name === null) return <>{unit}</>;
  return (
    <>
      {metric === "conversion" ? "of sessions reached" : `${unit} with`} <Said text={name} />
    </>
  );
}

/** Ends the sentence about the period by what was before it. */
function earlierText({ previous, metric, total }: ChangesAnswer): string {
  const value = amount(previous.value, metric);
  const dates = `the same weekdays from ${rangeText(previous.from, previous.to)}`;
  return total.delta === null ? "." : `, compared with ${value} on ${dates}.`;
}

const titles: Readonly<Record<ChangesAnswer["verdict"], string>> = {
  too_little_history: "Not enough history yet",
  noise: "No significant change",
  broad: "A significant change across all values",
  specific: "A significant change in a few values",
};
const titleOf = ({ verdict }: ChangesAnswer): string => titles[verdict];

/** The verdict in a sentence. */
function meaningOf({ verdict, needs, reference, drivers }: ChangesAnswer): string {
  switch (verdict) {
    case "too_little_history":
      return needs === null ? "" : neededText(needs);
    case "noise":
      return `This is within the normal variation of the ${reference.dates} days before.`;
    case "broad":
      return "All values moved together; none stands out.";
    default:
      return `${drivers.length === 1 ? "One value" : `${drivers.length} values`} changed more than the total.`;
  }
}

const neededText = ({ dates, have }: { readonly dates: number; readonly have: number }): string =>
  `Sightline needs ${dates} dates before ${periodName()}; ${have} ${have === 1 ? "is" : "are"} there.`;

/** Names the period in a sentence. */
function periodName(): string {
  const { key } = period.value;
  if (key === "week" || key === "month" || key === "year") return `this ${key}`;
  const unit = key.replace(/^last-/, "");
  return unit === key ? "this period" : `that ${unit}`;
}

/** The figures behind the verdict, and its caveats. */
function judgementOf({ total, threshold, tested, metric, caveats }: ChangesAnswer): string {
  const figures =
    `The total has a z-score of ${oneDigit(total.z ?? 0)}. A change is significant beyond ` +
    `±${oneDigit(threshold ?? 0)}, because ${exact(tested)} numbers were tested; its row is bold.`;
  return [figures, ...(metric === "sessions" ? [startedMeaning] : []), ...caveats].join(" ");
}

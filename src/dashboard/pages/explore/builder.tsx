import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { PropertiesAnswer } from "../../data/answers";
import * as queries from "../../data/queries";
import { useRead } from "../../data/reads";
import { FilterText } from "../../frame/filter-text";
import { nameOf, sessionFields } from "../../state/filters";
import { maySee } from "../../state/rights";
import { set } from "../../state/route";
import { scope } from "../../state/scope";
import { AddingSelect } from "../../ui/adding-select";
import { EventChoice } from "../../ui/event-choice";
import { useGoalNames } from "../../ui/goal-names";
import { optionsFor } from "../../ui/options";
import {
  besideNames,
  groupName,
  groupsMax,
  listParams,
  measureNames,
  metricName,
  namedGroups,
  namedMetrics,
  needsGoal,
  type Question,
} from "./question";

/** The question, in the words of the API. Every change is a new address. */
export function Builder({ question }: { readonly question: Question }) {
  const { metrics, groups, countMode, limit } = question;
  const known = useRead<PropertiesAnswer>(
    "Events and property keys",
    queries.properties(scope.value),
  ).data;
  const goals = useGoalNames();
  const keys = known?.property_keys ?? [];
  const ask = (metric: readonly string[], by: readonly string[]) => set(listParams(metric, by));
  const count = (metric: string) => {
    const next = toggled(metrics, metric);
    if (next.length > 0) ask(next, groups);
  };
  const groupBy = (group: string) => ask(metrics, toggled(groups, group));
  return (
    <section class="card builder" aria-label="Question">
      <Line label="Count">
        {united(namedMetrics, metrics).map((metric) => (
          <Choice
            key={metric}
            text={metricName(metric)}
            isOn={metrics.includes(metric)}
            choose={() => count(metric)}
          />
        ))}
        <Measure keys={keys} choose={count} />
      </Line>
      {needsGoal(question) && (
        <Line label="Goal">
          <EventChoice
            label="Event or goal"
            none="Choose…"
            name="goal"
            events={known?.events.map(({ event }) => event) ?? []}
            goals={goals}
          />
        </Line>
      )}
      <Line label="By">
        {united(namedGroups.filter(maySee), groups).map((group) => (
          <Choice
            key={group}
            text={groupName(group)}
            isOn={groups.includes(group)}
            isDisabled={!groups.includes(group) && groups.length >= groupsMax}
            choose={() => groupBy(group)}
          />
        ))}
        {groups.length < groupsMax && <FieldChoice keys={keys} choose={groupBy} />}
      </Line>
      <Line label="Counting">
        <Choice
          text="Count every event"
          isOn={countMode === "raw"}
          choose={() => set({ count: null })}
        />
        <Choice
          text="Once per session"
          isOn={countMode !== "raw"}
          choose={() => set({ count: "deduplicated" })}
        />
        <Limit value={limit} />
      </Line>
      <Line label="Compare">
        {["", ...Object.keys(besideNames)].map((key) => (
          <Choice
            key={key}
            text={besideNames[key] ?? "None"}
            isOn={question.beside === key}
            choose={() => set({ beside: key || null })}
          />
        ))}
      </Line>
      <Line label="Filters">
        <span class="fine">
          {scope.value.filters.length === 0
            ? "All events of the period. To add a filter, press F or click a value below."
            : scope.value.filters.map((one, i) => (
                <span key={i}>
                  {i > 0 && " and "}
                  <FilterText filter={one} />
                </span>
              ))}
        </span>
      </Line>
    </section>
  );
}

const toggled = (list: readonly string[], one: string): readonly string[] =>
  list.includes(one) ? list.filter((other) => other !== one) : [...list, one];
/** Joins the names that are always offered and those that were added. */
const united = (always: readonly string[], more: readonly string[]): readonly string[] => [
  ...new Set([...always, ...more]),
];

/** Chooses a measure and a property: the number is added when both are chosen. */
function Measure({
  keys,
  choose,
}: {
  readonly keys: readonly string[];
  readonly choose: (metric: string) => void;
}) {
  const [measure, setMeasure] = useState("sum");
  return (
    <span class="choice select pair">
      <label>
        <span class="visually-hidden">Calculation</span>
        <select value={measure} onChange={(event) => setMeasure(event.currentTarget.value)}>
          {Object.entries(measureNames).map(([key, text]) => (
            <option key={key} value={key}>
              {text} of
            </option>
          ))}
        </select>
      </label>
      <AddingSelect label="Measured property" add={(key) => choose(`${measure}:properties.${key}`)}>
        <option value="">property…</option>
        {optionsFor(keys)}
      </AddingSelect>
    </span>
  );
}

const FieldChoice = ({
  keys,
  choose,
}: {
  readonly keys: readonly string[];
  readonly choose: (group: string) => void;
}) => (
  <span class="choice select">
    <AddingSelect label="Property or session field" add={choose}>
      <option value="">Property…</option>
      <optgroup label="Session">{optionsFor(sessionFields, nameOf)}</optgroup>
      <optgroup label="Properties">
        {keys.map((key) => (
          <option key={key} value={`properties.${key}`}>
            {key}
          </option>
        ))}
      </optgroup>
    </AddingSelect>
  </span>
);

const Line = ({
  label,
  children,
}: {
  readonly label: string;
  readonly children: ComponentChildren;
}) => (
  <fieldset class="builder-line" aria-label={label}>
    <span class="builder-label">{label}</span>
    <div class="builder-options">{children}</div>
  </fieldset>
);

const Choice = ({
  text,
  isOn,
  choose,
  isDisabled = false,
}: {
  readonly text: string;
  readonly isOn: boolean;
  readonly choose: () => void;
  readonly isDisabled?: boolean;
}) => (
  <button
    type="button"
    class={isOn ? "choice on" : "choice"}
    aria-pressed={isOn}
    disabled={isDisabled}
    onClick={choose}
  >
    {text}
  </button>
);

const Limit = ({ value }: { readonly value: number }) => (
  <label class="choice select named">
    Rows
    <select
      value={String(value)}
      onChange={(event) =>
        set({ limit: event.currentTarget.value === "1000" ? null : event.currentTarget.value })
      }
    >
      {optionsFor(["10", "50", "100", "1000"])}
    </select>
  </label>
);

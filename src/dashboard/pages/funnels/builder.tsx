import { useState } from "preact/hooks";
import type { PropertiesAnswer } from "../../data/answers";
import { FilterEditor } from "../../frame/filter-editor";
import { FilterText } from "../../frame/filter-text";
import { encode, isCondition, nameOf } from "../../state/filters";
import { param, set } from "../../state/route";
import { AddingSelect } from "../../ui/adding-select";
import { Icon } from "../../ui/icons";
import { optionsFor, optionsOf } from "../../ui/options";
import { setSteps, stepsMax, windows } from "./state";
import type { Step } from "./steps";

/** The origin of the steps. */
type Origin = "own" | "context" | "proposed";

const notes: Readonly<Record<Origin, string | undefined>> = {
  own: undefined,
  context:
    "These are the project's activation events. Your changes are saved in the page's address.",
  proposed: "This is a suggestion from the most frequent events.",
};

/** The steps in order, and how they are counted. */
export function Builder({
  steps,
  origin,
  known,
}: {
  readonly steps: readonly Step[];
  readonly origin: Origin;
  readonly known: PropertiesAnswer | undefined;
}) {
  const [filtering, setFiltering] = useState<number | null>(null);
  const events = known?.events.map(({ event }) => event) ?? [];
  const change = (at: number, step: Step | null) =>
    setSteps(steps.flatMap((one, i) => (i !== at ? [one] : step === null ? [] : [step])));
  const move = (at: number, by: number) => {
    const next = [...steps];
    const [taken] = next.splice(at, 1);
    if (taken !== undefined) next.splice(at + by, 0, taken);
    setSteps(next);
  };
  return (
    <section class="card funnel-builder" aria-label="Steps">
      <ol>
        {steps.map((step, i) => (
          <li key={i}>
            <span class="step-number">{i + 1}</span>
            <EventChoice
              events={events}
              value={step.event}
              label={`Event of step ${i + 1}`}
              choose={(event) => change(i, { ...step, event })}
            />
            <span class="step-tools">
              <button
                type="button"
                class="tool square"
                aria-label="Add a condition"
                title="Add a condition"
                aria-expanded={filtering === i}
                onClick={() => setFiltering(filtering === i ? null : i)}
              >
                <Icon name="filter" />
              </button>
              <button
                type="button"
                class="tool square"
                aria-label="Move up"
                title="Move up"
                disabled={i === 0}
                onClick={() => move(i, -1)}
              >
                <Icon name="up" />
              </button>
              <button
                type="button"
                class="tool square"
                aria-label="Remove step"
                title="Remove step"
                disabled={steps.length < 3}
                onClick={() => change(i, null)}
              >
                <Icon name="close" />
              </button>
            </span>
            <Conditions step={step} change={(next) => change(i, next)} />
            {filtering === i && (
              <div class="step-filter">
                <FilterEditor
                  filter={null}
                  isPlain
                  save={(filter) => {
                    setFiltering(null);
                    if (!isCondition(filter)) return;
                    change(i, { ...step, filters: [...step.filters, filter] });
                  }}
                />
              </div>
            )}
          </li>
        ))}
      </ol>
      {steps.length < stepsMax && (
        <div class="add-step">
          <Icon name="plus" />
          <AddingSelect
            label="Add a step"
            add={(event) => setSteps([...steps, { event, filters: [] }])}
          >
            <option value="">Add a step…</option>
            {optionsFor(events)}
          </AddingSelect>
        </div>
      )}
      {notes[origin] !== undefined && <p class="card-note">{notes[origin]}</p>}
      <Counting known={known} />
    </section>
  );
}

interface ConditionsProps {
  readonly step: Step;
  readonly change: (step: Step) => void;
}

const Conditions = ({ step, change }: ConditionsProps) => (
  <>
    {step.filters.map((filter) => (
      <span class="chip" key={encode(filter)}>
        <FilterText filter={filter} />
        <button
          type="button"
          aria-label="Remove condition"
          onClick={() => change({ ...step, filters: step.filters.filter((one) => one !== filter) })}
        >
          <Icon name="close" />
        </button>
      </span>
    ))}
  </>
);

const EventChoice = ({
  events,
  value,
  label,
  choose,
}: {
  readonly events: readonly string[];
  readonly value: string;
  readonly label: string;
  readonly choose: (event: string) => void;
}) => (
  <select aria-label={label} value={value} onChange={(event) => choose(event.currentTarget.value)}>
    {optionsFor(events.includes(value) ? events : [value, ...events])}
  </select>
);

function Counting({ known }: { readonly known: PropertiesAnswer | undefined }) {
  return (
    <div class="counting">
      <label>
        Count
        <select
          value={param("by") || "user_id"}
          onChange={(event) =>
            set({ by: event.currentTarget.value === "user_id" ? null : "session_id" })
          }
        >
          <option value="user_id">Visitors</option>
          <option value="session_id">Sessions</option>
        </select>
      </label>
      <label>
        Within
        <select
          value={param("window") || "168"}
          onChange={(event) =>
            set({ window: event.currentTarget.value === "168" ? null : event.currentTarget.value })
          }
        >
          {optionsOf(windows)}
        </select>
      </label>
      <label>
        Breakdown
        <select
          value={param("breakdown")}
          onChange={(event) => set({ breakdown: event.currentTarget.value || null })}
        >
          <option value="">None</option>
          <option value="country">Country</option>
          {optionsFor(known?.property_keys ?? [], (key) => nameOf(`properties.${key}`))}
        </select>
      </label>
    </div>
  );
}

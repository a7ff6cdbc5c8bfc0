import type { ComponentChildren } from "preact";
import type { PropertiesAnswer } from "../../data/answers";
import * as queries from "../../data/queries";
import { useRead } from "../../data/reads";
import { nameOf, opWords } from "../../state/filters";
import { set } from "../../state/route";
import { scope } from "../../state/scope";
import { groupNames, metricNames, type Question } from "./state";

/** The question, in the words of the API. Every change is a new address. */
export function Builder({ question }: { readonly question: Question }) {
  const keys =
    useRead<PropertiesAnswer>("Events and property keys", queries.properties(scope.value)).data
      ?.property_keys ?? [];
  const isProperty = question.property !== "";
  const toggle = (name: string, list: readonly string[], key: string, isNeeded: boolean) => {
    const next = list.includes(key) ? list.filter((one) => one !== key) : [...list, key];
    if (next.length > 0 || !isNeeded)
      set({ [name]: next.length > 0 ? next.join(",") : "none", property: null });
  };
  return (
    <section class="card builder" aria-label="Question">
      <Line label="Count">
        {Object.entries(metricNames).map(([key, text]) => (
          <Choice
            key={key}
            text={text}
            isOn={!isProperty && question.metrics.includes(key)}
            choose={() => toggle("metrics", question.metrics, key, true)}
          />
        ))}
      </Line>
      <Line label="By">
        {Object.entries(groupNames).map(([key, text]) => (
          <Choice
            key={key}
            text={text}
            isOn={!isProperty && question.groups.includes(key)}
            choose={() => toggle("by", question.groups, key, false)}
          />
        ))}
        <label class={isProperty ? "choice select on" : "choice select"}>
          <span class="visually-hidden">Property</span>
          <select
            value={question.property}
            onChange={(event) => set({ property: event.currentTarget.value || null })}
          >
            <option value="">Property…</option>
            {keys.map((key) => (
              <option key={key} value={key}>
                {key}
              </option>
            ))}
          </select>
        </label>
      </Line>
      <Line label="Repeats">
        <Choice
          text="Count every event"
          isOn={question.countMode === "raw"}
          choose={() => set({ count: null })}
          isRadio
        />
        <Choice
          text="Once per session"
          isOn={question.countMode !== "raw"}
          choose={() => set({ count: "deduplicated" })}
          isRadio
        />
        <Limit value={question.limit} />
      </Line>
      <Line label="Where">
        <span class="fine">
          {scope.value.filters.length === 0
            ? "All events of the period. F adds a filter; so does a click on a value below."
            : scope.value.filters
                .map((one) => `${nameOf(one.field)} ${opWords[one.op]} ${one.value || "(empty)"}`)
                .join(" and ")}
        </span>
      </Line>
      {isProperty && scope.value.filters.some(({ field }) => field !== "event") && (
        <p class="card-note">
          By property, the filters on anything but the event are left out: the API cannot combine
          them yet.
        </p>
      )}
    </section>
  );
}

const Line = ({
  label,
  children,
}: {
  readonly label: string;
  readonly children: ComponentChildren;
}) => (
  <fieldset class="builder-line" aria-label={label}>
    <span class="builder-label">{label}</span>
    {children}
  </fieldset>
);

const Choice = ({
  text,
  isOn,
  choose,
  isRadio = false,
}: {
  readonly text: string;
  readonly isOn: boolean;
  readonly choose: () => void;
  readonly isRadio?: boolean;
}) => (
  <button
    type="button"
    class={isOn ? "choice on" : "choice"}
    aria-pressed={isOn}
    disabled={isRadio && isOn ? false : undefined}
    onClick={choose}
  >
    {text}
  </button>
);

const Limit = ({ value }: { readonly value: number }) => (
  <label class="choice select">
    Rows
    <select
      value={String(value)}
      onChange={(event) =>
        set({ limit: event.currentTarget.value === "1000" ? null : event.currentTarget.value })
      }
    >
      {[10, 50, 100, 1000].map((one) => (
        <option key={one} value={one}>
          {one}
        </option>
      ))}
    </select>
  </label>
);

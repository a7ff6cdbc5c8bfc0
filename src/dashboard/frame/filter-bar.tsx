import { useState } from "preact/hooks";
import type { BreakdownAnswer, PropertiesAnswer } from "../data/answers";
import * as queries from "../data/queries";
import { useRead } from "../data/reads";
import { countryName } from "../lib/format";
import { commonFields, type Filter, nameOf, opWords } from "../state/filters";
import { addFilter, filters, removeFilter, set } from "../state/route";
import { scope } from "../state/scope";
import { Icon } from "../ui/icons";
import { Menu } from "../ui/menu";

export const valueText = ({ field, value }: Filter): string =>
  field === "country" ? countryName(value) : value === "" ? "(empty)" : value;

/** The conditions of everything on the page. */
export function Chips() {
  const all = filters.value;
  if (all.length === 0) return null;
  return (
    <section class="chips" aria-label="Filters">
      {all.map((filter) => (
        <span class="chip" key={filter.field + filter.op + filter.value}>
          <span>
            {nameOf(filter.field)} <i>{opWords[filter.op]}</i>{" "}
            <b>
              <bdi>{valueText(filter)}</bdi>
            </b>
          </span>
          <button
            type="button"
            aria-label={`Take away: ${nameOf(filter.field)}`}
            onClick={() => removeFilter(filter)}
          >
            <Icon name="close" />
          </button>
        </span>
      ))}
      {all.length > 1 && (
        <button type="button" class="plain" onClick={() => set({ filter: null })}>
          Clear all <kbd>X</kbd>
        </button>
      )}
    </section>
  );
}

export const FilterMenu = () => (
  <Menu
    id="filter-menu"
    isEnd
    title="Add a filter (F)"
    label={
      <>
        <Icon name="filter" />
        <span>Filter</span>
      </>
    }
  >
    {(close) => (
      <FilterForm
        add={(filter) => {
          addFilter(filter);
          close();
        }}
      />
    )}
  </Menu>
);

/** Field, comparison, value; the values are those that were sent. */
export function FilterForm({ add }: { readonly add: (filter: Filter) => void }) {
  const [field, setField] = useState("properties.path");
  const [op, setOp] = useState("eq");
  const [value, setValue] = useState("");
  const known = useRead<PropertiesAnswer>(
    "Events and property keys",
    queries.properties(scope.value),
  ).data;
  const own = (known?.property_keys ?? [])
    .map((key) => `properties.${key}`)
    .filter((key) => !commonFields.includes(key));
  const submit = (event: Event) => {
    event.preventDefault();
    if (value !== "") add({ field, op, value });
  };
  return (
    <form class="filter-form" onSubmit={submit}>
      <label>
        Field
        <select
          value={field}
          onChange={(event) => {
            setField(event.currentTarget.value);
            setValue("");
          }}
        >
          <optgroup label="Common">
            {commonFields.map((key) => (
              <option key={key} value={key}>
                {nameOf(key)}
              </option>
            ))}
          </optgroup>
          <optgroup label="Properties">
            {own.map((key) => (
              <option key={key} value={key}>
                {nameOf(key)}
              </option>
            ))}
          </optgroup>
        </select>
      </label>
      <label>
        Comparison
        <select value={op} onChange={(event) => setOp(event.currentTarget.value)}>
          {Object.entries(opWords).map(([key, text]) => (
            <option key={key} value={key}>
              {text}
            </option>
          ))}
        </select>
      </label>
      <label>
        Value
        <input
          value={value}
          list="filter-values"
          autocomplete="off"
          onInput={(event) => setValue(event.currentTarget.value)}
        />
      </label>
      <Values field={field} events={known?.events.map(({ event }) => event) ?? []} />
      <button type="submit" disabled={value === ""}>
        Add the filter
      </button>
    </form>
  );
}

function Values({ field, events }: { readonly field: string; readonly events: readonly string[] }) {
  const property = field === "country" ? "country" : /^properties\.(.+)/.exec(field)?.[1];
  const request =
    property === undefined
      ? null
      : queries.breakdown({ ...scope.value, filters: [] }, property, null, 50);
  const values =
    useRead<BreakdownAnswer>("Values to choose from", request).data?.values.map(
      (one) => one.value,
    ) ?? [];
  const offered = field === "event" ? events : request === null ? [] : values;
  return (
    <datalist id="filter-values">
      {offered.map((one) => (
        <option key={one} value={one} />
      ))}
    </datalist>
  );
}

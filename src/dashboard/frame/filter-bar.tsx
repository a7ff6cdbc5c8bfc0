import { encode, type Filter, isAnyOf, wordsOf } from "../state/filters";
import {
  addFilter,
  changeFilter,
  filters,
  hasGoal,
  param,
  place,
  removeFilter,
  set,
} from "../state/route";
import { shared } from "../state/share";
import { goalNameIn, useGoalNames } from "../ui/goal-names";
import { Icon } from "../ui/icons";
import { Menu } from "../ui/menu";
import { Said } from "../ui/said";
import { FilterEditor } from "./filter-editor";
import { FilterText } from "./filter-text";

/** The conditions of everything on the page. Those of a share hold whatever else is chosen. */
export function Chips() {
  const all = filters.value;
  const locked = shared?.filters ?? [];
  const goal = hasGoal(place.value.page) ? param("goal") : "";
  if (all.length + locked.length === 0 && goal === "") return null;
  return (
    <section class="chips" aria-label="Filters">
      {locked.map((filter, i) => (
        <span class="chip locked" key={i} title="Applies to everything in this shared link">
          <Icon name="lock" />
          <FilterText filter={filter} />
        </span>
      ))}
      {all.map((filter, i) => (
        <Chip key={encode(filter)} filter={filter} at={i} />
      ))}
      {goal !== "" && <ChosenGoal id={goal} />}
      {all.length > 1 && (
        <button
          type="button"
          class="plain"
          onClick={() => {
            document.getElementById("filter-menu")?.focus();
            set({ filter: null });
          }}
        >
          Clear all <kbd>X</kbd>
        </button>
      )}
    </section>
  );
}

/** The goal whose numbers every list shows. It filters nothing. */
function ChosenGoal({ id }: { readonly id: string }) {
  const name = goalNameIn(useGoalNames(), id);
  return (
    <span class="chip goal" title="Its conversion rate and revenue stand in every list">
      <span class="filter-text">
        Goal{" "}
        <b>
          <Said text={name} />
        </b>
      </span>
      <button
        type="button"
        aria-label="Choose no goal"
        onClick={() => {
          document.getElementById("filter-menu")?.focus();
          set({ goal: null });
        }}
      >
        <Icon name="close" />
      </button>
    </span>
  );
}

const nameOfFilter = (filter: Filter): string =>
  isAnyOf(filter) ? "any of several" : wordsOf(filter).of;

const Chip = ({ filter, at }: { readonly filter: Filter; readonly at: number }) => (
  <span class="chip">
    <Menu id={`filter-${at}`} title="Edit this filter" label={<FilterText filter={filter} />}>
      {(close) => (
        <FilterEditor
          filter={filter}
          save={(next) => {
            changeFilter(filter, next);
            close();
          }}
        />
      )}
    </Menu>
    <button
      type="button"
      aria-label={`Remove filter: ${nameOfFilter(filter)}`}
      onClick={() => {
        // The button goes with what it takes away, and what has the focus with it.
        document.getElementById("filter-menu")?.focus();
        removeFilter(filter);
      }}
    >
      <Icon name="close" />
    </button>
  </span>
);

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
      <FilterEditor
        filter={null}
        save={(filter) => {
          addFilter(filter);
          close();
        }}
      />
    )}
  </Menu>
);

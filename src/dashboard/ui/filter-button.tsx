import type { Filter } from "../state/filters";
import { isHeld, toggle } from "./list-values";
import { Said, SaidBelow } from "./said";

interface FilterButtonProps {
  readonly filter: Filter;
  readonly text: string;
  /** Runs after the button added or removed the filter. */
  readonly chosen?: (() => void) | undefined;
}

/** A value of a table. A click filters the page by it, and a second click removes the filter. */
export const FilterButton = ({ filter, text, chosen }: FilterButtonProps) => (
  <>
    <button
      type="button"
      class="plain link"
      aria-pressed={isHeld(filter)}
      onClick={() => {
        toggle(filter);
        chosen?.();
      }}
    >
      <Said text={text} />
    </button>
    <SaidBelow text={text} />
  </>
);

import type { Filter } from "../state/filters";
import { isHeld, toggle } from "./list-values";
import { Said, SaidBelow } from "./said";

interface FilterButtonProps {
  readonly filter: Filter;
  readonly text: string;
  /** Runs after the filter was added or taken away. */
  readonly chosen?: (() => void) | undefined;
}

/** A value of a table, which filters the page; the same click again takes the filter away. */
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

import { Icon } from "./icons";

interface TableButtonProps {
  readonly isTable: boolean;
  readonly toggle: () => void;
}

/** Shows a line as a table, and back. */
export const TableButton = ({ isTable, toggle }: TableButtonProps) => (
  <button
    type="button"
    class="tool square"
    aria-pressed={isTable}
    title="Show as a table"
    aria-label="Show as a table"
    onClick={toggle}
  >
    <Icon name="table" />
  </button>
);

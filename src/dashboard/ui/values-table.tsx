import { useState } from "preact/hooks";
import type { Row } from "../data/answers";
import { exact } from "../lib/format";
import { Delta } from "./delta";
import { FilterButton } from "./filter-button";
import { filterOf, labelOf } from "./list-values";
import { Scroll } from "./scroll";

export interface ValueColumn {
  readonly key: string;
  readonly name: string;
  readonly title?: string;
  readonly format: (value: number) => string;
  readonly isRate?: boolean;
  readonly isInverse?: boolean;
  /** The column with the count from which the number is calculated. */
  readonly base?: string;
}

interface ValuesTableProps {
  readonly label: string;
  readonly head: string;
  readonly field: string;
  readonly columns: readonly ValueColumn[];
  readonly rows: readonly Row[];
  /** Shows the change of each number, where the window before is comparable. */
  readonly hasDelta?: boolean;
  /** Runs after a row was chosen as a filter. */
  readonly chosen?: () => void;
}

/** The values of a field with several numbers each. The heads sort the table, and a value filters the page. */
export function ValuesTable({ label, head, field, columns, rows, ...props }: ValuesTableProps) {
  const [order, setOrder] = useState({ key: columns[0]?.key ?? "", isUp: false });
  const { key: by, isUp } = order;
  const sorted = [...rows].sort((a, b) => compare(a[by], b[by], isUp));
  const headOf = (key: string, name: string) => (
    <button
      type="button"
      onClick={() => setOrder({ key, isUp: by === key ? !isUp : key === field })}
    >
      {name}
      {by === key ? (isUp ? " ↑" : " ↓") : ""}
    </button>
  );
  const sortOf = (key: string) => (by !== key ? "none" : isUp ? "ascending" : "descending");
  return (
    <Scroll label={label} csv={label.toLowerCase().replaceAll(" ", "-")} class="tall">
      <table class="grid">
        <thead>
          <tr>
            <th scope="col" aria-sort={sortOf(field)}>
              {headOf(field, head)}
            </th>
            {columns.map(({ key, name, title }) => (
              <th key={key} scope="col" class="num" aria-sort={sortOf(key)} title={title}>
                {headOf(key, name)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {sorted.map((row) => (
            <ValueRow key={String(row[field])} {...{ row, field, columns, ...props }} />
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

/** Missing numbers come last in both orders. */
function compare(a: Row[string] = null, b: Row[string] = null, isUp: boolean): number {
  if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;
  const order = typeof a === "number" && typeof b === "number" ? a - b : a < b ? -1 : 1;
  return isUp ? order : -order;
}

interface ValueRowProps
  extends Pick<ValuesTableProps, "field" | "columns" | "hasDelta" | "chosen"> {
  readonly row: Row;
}

function ValueRow({ row, field, columns, hasDelta = false, chosen }: ValueRowProps) {
  const value = String(row[field] ?? "");
  return (
    <tr>
      <th scope="row" class="long">
        <FilterButton
          filter={filterOf(field, value)}
          text={labelOf(field, value)}
          chosen={chosen}
        />
      </th>
      {columns.map((column) => (
        <NumberCell key={column.key} {...{ row, column, hasDelta }} />
      ))}
    </tr>
  );
}

interface NumberCellProps {
  readonly row: Row;
  readonly column: ValueColumn;
  readonly hasDelta: boolean;
}

function NumberCell({ row, column, hasDelta }: NumberCellProps) {
  const { key, format, isRate = false, isInverse = false, base } = column;
  const now = row[key];
  if (typeof now !== "number") return <td class="num">–</td>;
  const before = numberBefore(row, key);
  return (
    <td class="num" title={Number.isInteger(now) ? exact(now) : format(now)}>
      {format(now)}
      {hasDelta && (
        <Delta
          {...{ now, before, isRate, isInverse, format }}
          {...(base !== undefined && { base: numberBefore(row, base) ?? 0 })}
          isQuiet
        />
      )}
    </td>
  );
}

const numberBefore = (row: Row, metric: string): number | null => {
  const value = row[`previous.${metric}`];
  return typeof value === "number" ? value : null;
};

import type { ChangedValue } from "../../data/answers";
import { countryName, exact, percent } from "../../lib/format";
import { isSame } from "../../state/filters";
import { addFilter, filters, removeFilter } from "../../state/route";
import { Delta } from "../../ui/delta";
import { Said, SaidBelow, SaidWhole } from "../../ui/said";
import { Scroll } from "../../ui/scroll";
import { type ChangeMetric, filterOf, nameOfDimension } from "./state";

interface Row extends ChangedValue {
  readonly dimension: string;
  readonly significant: boolean | null;
}

/** Values with what they were and are; a row filters the page where a field says the same. */
export function Values({
  label,
  csv,
  metric,
  rows,
  hasDimension = false,
}: {
  readonly label: string;
  readonly csv: string;
  readonly metric: ChangeMetric;
  readonly rows: readonly Row[];
  readonly hasDimension?: boolean;
}) {
  const show = (value: number): string => amount(value, metric);
  return (
    <Scroll label={label} csv={csv} class={hasDimension ? "" : "tall"}>
      <table class="grid">
        <thead>
          <tr>
            {hasDimension && <th scope="col">Dimension</th>}
            <th scope="col">Value</th>
            <Head text="Before" />
            <Head text="Now" />
            <Head text="Change" />
            {metric !== "users" && <Head text="Share of change" />}
            <Head text="z" />
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={`${row.dimension} ${row.value}`}>
              {hasDimension && <td>{nameOfDimension(row.dimension)}</td>}
              <th scope="row" class="fits" title={textOf(row.dimension, row.value)}>
                <Name row={row} metric={metric} />
              </th>
              <td class="num">{show(row.previous)}</td>
              <td class="num">{show(row.current)}</td>
              <td class="num" title={String(row.delta)}>
                <Delta
                  now={row.current}
                  before={row.previous}
                  isRate={metric === "conversion"}
                  isQuiet={row.significant !== true}
                />
              </td>
              {metric !== "users" && <td class="num">{`${oneDigit(row.share_pct ?? 0)}%`}</td>}
              <td class="num" title={String(row.z)}>
                {row.significant === true ? <b>{oneDigit(row.z)}</b> : oneDigit(row.z)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

const Head = ({ text }: { readonly text: string }) => (
  <th scope="col" class="num">
    {text}
  </th>
);

function Name({ row, metric }: { readonly row: Row; readonly metric: ChangeMetric }) {
  const { dimension, value } = row;
  const text = textOf(dimension, value);
  const filter = filterOf(dimension, value, metric);
  if (filter === null) return <SaidWhole text={text} />;
  const isChosen = filters.value.some((one) => isSame(one, filter));
  return (
    <>
      <button
        type="button"
        class="plain link"
        aria-pressed={isChosen}
        onClick={() => (isChosen ? removeFilter(filter) : addFilter(filter))}
      >
        <Said text={text} />
      </button>
      <SaidBelow text={text} />
    </>
  );
}

const textOf = (dimension: string, value: string | null): string =>
  value === null
    ? "(none)"
    : value === ""
      ? "(empty)"
      : dimension === "country"
        ? countryName(value)
        : value;

export const amount = (value: number, metric: ChangeMetric): string =>
  metric === "conversion" ? percent(value) : exact(value);

export const oneDigit = (value: number): string =>
  value.toFixed(1).replace("-0.0", "0.0").replace("-", "−");

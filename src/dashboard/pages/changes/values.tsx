import type { ChangedValue, ChangesAnswer } from "../../data/answers";
import { countryName, exact, percent } from "../../lib/format";
import { Delta } from "../../ui/delta";
import { FilterButton } from "../../ui/filter-button";
import { SaidWhole } from "../../ui/said";
import { Scroll } from "../../ui/scroll";
import { carriesShares } from "./sort-dimensions";
import { type ChangeMetric, filterOf, nameOfDimension } from "./state";

interface Row extends ChangedValue {
  readonly dimension: string;
  readonly significant: boolean | null;
}

interface ValuesProps {
  readonly label: string;
  readonly csv: string;
  readonly answer: ChangesAnswer;
  readonly rows: readonly Row[];
  /** Shows the z-scores. */
  readonly isJudged: boolean;
  readonly hasDimension?: boolean;
}

/** Values with what they were and are; a row filters the page where a field says the same. */
export function Values({
  label,
  csv,
  answer: { metric, total },
  rows,
  isJudged,
  hasDimension = false,
}: ValuesProps) {
  const show = (value: number): string => amount(value, metric);
  const hasShares = carriesShares(rows, total);
  return (
    <Scroll label={label} csv={csv} class={hasDimension ? "" : "tall"}>
      <table class="grid">
        <thead>
          <tr>
            {hasDimension && <th scope="col">Dimension</th>}
            <th scope="col">Value</th>
            <Head text="Change" />
            <Head text="Now" />
            <Head text="Before" />
            {hasShares && <Head text="Share of change" />}
            {isJudged && <Head text="z" />}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => {
            const isSignificant = row.significant === true && !hasDimension;
            return (
              <tr key={`${row.dimension} ${row.value}`}>
                {hasDimension && <td>{nameOfDimension(row.dimension)}</td>}
                <th scope="row" class={isSignificant ? "fits strong" : "fits"} title={nameOf(row)}>
                  <Name row={row} metric={metric} />
                  {isSignificant && <span class="visually-hidden"> (significant)</span>}
                </th>
                <td class="num" title={String(row.delta)}>
                  <Delta
                    now={row.current}
                    before={row.previous}
                    isRate={metric === "conversion"}
                    isQuiet={row.significant !== true}
                  />
                </td>
                <td class="num">{show(row.current)}</td>
                <td class="num">{show(row.previous)}</td>
                {hasShares && <td class="num">{`${oneDigit(row.share_pct ?? 0)}%`}</td>}
                {isJudged && (
                  <td class="num" title={String(row.z)}>
                    {oneDigit(row.z)}
                  </td>
                )}
              </tr>
            );
          })}
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
  const text = nameOf(row);
  const filter = filterOf(dimension, value, metric);
  if (filter === null) return <SaidWhole text={text} />;
  return <FilterButton filter={filter} text={text} />;
}

const nameOf = ({ dimension, value }: Row): string =>
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

export const signedAmount = (value: number, metric: ChangeMetric): string =>
  `${value > 0 ? "+" : value < 0 ? "−" : ""}${amount(Math.abs(value), metric)}`;

import type { RetentionAnswer } from "../../data/retention-answers";
import { addDays, monthText, rangeText, shortDate } from "../../lib/dates";
import { exact, percent } from "../../lib/format";
import { Scroll } from "../../ui/scroll";
import { peopleMin, type ReturnCount, returnCounts } from "./averages";

export type Unit = RetentionAnswer["period"];

const nameOfCohort = (date: string, unit: Unit): string =>
  unit === "week"
    ? rangeText(date, addDays(date, 6))
    : unit === "month"
      ? monthText(date.slice(0, 7))
      : shortDate(date);

interface CellProps extends ReturnCount {
  /** The rate that the API has for these people. */
  readonly rate: number;
  /** The largest rate of the table. */
  readonly top: number;
  readonly isOpen?: boolean;
}

/** A rate with its colour, or the number of people if there are too few for a rate. */
export function RateCell({ back, people, rate, top, isOpen = false }: CellProps) {
  const isFew = people < peopleMin;
  const numbers = `${exact(back)} of ${exact(people)}`;
  return (
    <td
      data-level={isFew || rate === 0 ? 0 : Math.max(1, Math.ceil((rate / top) * 8))}
      data-open={isOpen}
      title={`${numbers}${isOpen ? ", so far" : ""}`}
    >
      {isFew ? numbers : percent(rate)}
    </td>
  );
}

/** The heads of columns for the periods after the first one. */
export const PeriodHeads = ({ count, unit }: { readonly count: number; readonly unit: Unit }) =>
  Array.from({ length: count }, (_, i) => (
    <th key={i} scope="col">
      {unit} {i + 1}
    </th>
  ));

interface CohortsProps {
  readonly answer: RetentionAnswer;
  readonly unit: Unit;
}

/** Rows are cohorts, columns are later periods. The colour shows the rate relative to the largest one in the table. */
export function Cohorts({ answer, unit }: CohortsProps) {
  const { cohorts, average_rates: averages } = answer;
  const columns = Math.max(...cohorts.map(({ rates }) => rates.length)) - 1;
  const many = cohorts.filter(({ users }) => users >= peopleMin);
  const top = Math.max(0.01, ...many.flatMap(({ rates }) => rates.slice(1)));
  const returned = returnCounts(answer);
  return (
    <Scroll label="Cohorts" csv="cohorts">
      <table class="cohorts">
        <thead>
          <tr>
            <th scope="col">First seen</th>
            <th scope="col" class="num">
              Visitors
            </th>
            <PeriodHeads count={columns} unit={unit} />
          </tr>
        </thead>
        <tbody>
          <tr class="mean">
            <th scope="row">Average</th>
            <td class="num">{exact(answer.users_analyzed)}</td>
            {Array.from({ length: columns }, (_, i) => {
              const { back = 0, people = 0 } = returned[i + 1] ?? {};
              const text =
                people < peopleMin ? `${back} of ${people}` : percent(averages[i + 1] ?? 0);
              return <td key={i}>{people === 0 ? "" : text}</td>;
            })}
          </tr>
          {cohorts.map(({ date, users, rates, retained, complete }) => (
            <tr key={date}>
              <th scope="row">
                <time dateTime={date} title={date}>
                  {nameOfCohort(date, unit)}
                </time>
              </th>
              <td class="num">{exact(users)}</td>
              {rates.slice(1).map((rate, i) => (
                <RateCell
                  key={i}
                  {...{ rate, top, back: retained[i + 1] ?? 0, people: users }}
                  isOpen={i + 1 >= complete}
                />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

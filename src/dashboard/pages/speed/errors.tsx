import type { QueryAnswer, Row } from "../../data/answers";
import type { GoalRowsAnswer } from "../../data/goal-rows";
import { useMoneyGoal } from "../../data/money-goal";
import * as queries from "../../data/queries";
import { useRead } from "../../data/reads";
import { shortDate } from "../../lib/dates";
import { exact, percent } from "../../lib/format";
import { linkToFiltered } from "../../state/links";
import { mayOpen } from "../../state/rights";
import { filters } from "../../state/route";
import { scope } from "../../state/scope";
import { Card } from "../../ui/card";
import { FilterButton } from "../../ui/filter-button";
import { filterOf } from "../../ui/list-values";
import { Cut } from "../../ui/property-card";
import { Said } from "../../ui/said";
import { Scroll } from "../../ui/scroll";
import { When } from "../../ui/states";
import { Listed } from "./listed";
import { NotRecorded } from "./not-recorded";
import { bucketFor, datedErrorsMax, errorDates, errorsWith } from "./requests";

const message = "properties.message";
const attribute = "data-track-errors";

/** The errors of scripts with their visitors and dates, and the pages and browsers they occur in. */
export function ErrorsCard() {
  const goal = useMoneyGoal(scope.value.project);
  // The table waits for the goals, so that the page asks for it once.
  const reading = useRead<QueryAnswer>(
    "JavaScript errors",
    goal === undefined ? null : errorsWith(goal?.id),
  );
  const all = useRead<GoalRowsAnswer>("Goals", goal == null ? null : queries.goals(scope.value));
  const ofAll = all.data?.rows.find((row) => row.goal.id === goal?.id);
  const shown = (reading.data?.rows ?? [])
    .slice(0, datedErrorsMax)
    .map((row) => row[message])
    .filter((value) => typeof value === "string");
  const dates = useRead<QueryAnswer>(
    "Dates of JavaScript errors",
    shown.length === 0 ? null : errorDates(shown),
  ).data;
  return (
    <>
      <Card
        title="JavaScript errors"
        about="event_count"
        wide
        {...(ofAll !== undefined && {
          note: `Of all sessions, ${percent(ofAll.conversion_rate)} reached ${ofAll.goal.name}.`,
        })}
      >
        <When reading={reading}>
          {(answer) =>
            answer.rows.length === 0 ? (
              <NotRecorded attribute={attribute} />
            ) : (
              <>
                <Table rows={answer.rows} goal={goal?.name} dates={datesBy(dates?.rows ?? [])} />
                <Cut answer={answer} />
              </>
            )
          }
        </When>
      </Card>
      {shown.length > 0 && (
        <div class="halves">
          <Listed
            title="Pages with errors"
            event="$error"
            attribute={attribute}
            head="Page"
            tabs={[["properties.path", "Page"]]}
          />
          <Listed
            title="Browsers with errors"
            event="$error"
            attribute={attribute}
            head="Browser"
            tabs={[["properties.browser", "Browser"]]}
          />
        </div>
      )}
    </>
  );
}

interface Span {
  readonly first: string;
  readonly last: string;
}

/** The first and the last date of each message within the period. */
function datesBy(rows: readonly Row[]): ReadonlyMap<string, Span> {
  const spans = new Map<string, Span>();
  const by = bucketFor(datedErrorsMax);
  for (const row of rows) {
    const [key, date] = [String(row[message]), String(row[by])];
    const { first, last } = spans.get(key) ?? { first: date, last: date };
    spans.set(key, { first: date < first ? date : first, last: date > last ? date : last });
  }
  return spans;
}

const words = { date: "", week: "week of ", month: "month of " } as const;

/** Returns a link to the visitors who had the error. */
const linkToVisitors = (text: string): string =>
  linkToFiltered("people", [
    ...filters.value.filter((one) => !("field" in one) || one.field !== message),
    { did: "$error", filters: [{ field: message, op: "eq", value: text }] },
  ]);

interface TableProps {
  readonly rows: readonly Row[];
  /** The name of the goal whose conversion rate the rows show. */
  readonly goal: string | undefined;
  readonly dates: ReadonlyMap<string, Span>;
}

function Table({ rows, goal, dates }: TableProps) {
  const when = words[bucketFor(datedErrorsMax)];
  const dateOf = (date: string | undefined) => date && when + shortDate(date);
  return (
    <Scroll label="Table of errors" csv="errors" class="tall">
      <table class="grid">
        <thead>
          <tr>
            <th scope="col">Message</th>
            <th scope="col" class="num">
              Times
            </th>
            <th scope="col" class="num">
              Visitors
            </th>
            {goal !== undefined && (
              <th scope="col" class="num">
                Reached <Said text={goal} />
              </th>
            )}
            <th scope="col" title="within the period">
              First seen
            </th>
            <th scope="col">Last seen</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => {
            const text = String(row[message] ?? "");
            return (
              <tr key={text}>
                <th scope="row" class="long">
                  <FilterButton filter={filterOf(message, text)} text={text || "(no message)"} />
                </th>
                <td class="num">{exact(Number(row.event_count))}</td>
                <td class="num">
                  {mayOpen("people") ? (
                    <a class="link" href={linkToVisitors(text)}>
                      {exact(Number(row.unique_users))}
                    </a>
                  ) : (
                    exact(Number(row.unique_users))
                  )}
                </td>
                {goal !== undefined && <td class="num">{percent(Number(row.conversion_rate))}</td>}
                <td>{dateOf(dates.get(text)?.first)}</td>
                <td>{dateOf(dates.get(text)?.last)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </Scroll>
  );
}

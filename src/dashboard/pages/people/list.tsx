import type { QueryAnswer, Row } from "../../data/answers";
import { type MoneyGoal, useMoneyGoal } from "../../data/money-goal";
import * as queries from "../../data/queries";
import { useRead } from "../../data/reads";
import { fullDate } from "../../lib/dates";
import { countryName, exact } from "../../lib/format";
import { money } from "../../lib/money";
import { linkToPerson } from "../../state/links";
import { param, set } from "../../state/route";
import { scope } from "../../state/scope";
import { Card } from "../../ui/card";
import { Nothing } from "../../ui/nothing";
import { optionsOf } from "../../ui/options";
import { Said } from "../../ui/said";
import { SameVisitors } from "../../ui/same-visitors";
import { Scroll } from "../../ui/scroll";
import { When } from "../../ui/states";

const shownMax = 100;

const orders: readonly (readonly [metric: string, text: string])[] = [
  ["last_date", "Last seen"],
  ["session_count", "Most sessions"],
  ["page_views", "Most page views"],
  ["event_count", "Most events"],
];
const byMoney = "revenue";

/** The visitors of the period with their first source, numbers and revenue. */
export function PeopleList() {
  const goal = useMoneyGoal(scope.value.project);
  const choices = goal ? [...orders, [byMoney, `Most ${goal.name}`] as const] : orders;
  const orderBy = choices.find(([metric]) => metric === param("sort"))?.[0] ?? "last_date";
  const choice = { orderBy, limit: shownMax, goal: goal?.id };
  // The table waits for the goals, so that the page asks for it once.
  const reading = useRead<QueryAnswer>(
    "Visitors",
    goal === undefined ? null : queries.people(scope.value, choice),
  );
  const order = (
    <label class="inline">
      Sort by
      <select
        value={orderBy}
        onChange={({ currentTarget: { value } }) =>
          set({ sort: value === "last_date" ? null : value })
        }
      >
        {optionsOf(choices)}
      </select>
    </label>
  );
  return (
    <Card
      about="identity"
      title="Visitors"
      wide
      tools={order}
      note={`At most ${shownMax}. Sources, countries and devices are those of first visits.`}
    >
      <SameVisitors page="people" />
      <When reading={reading} rows={14}>
        {({ rows }) => (
          <Rows rows={rows.filter(({ user_id }) => user_id !== null)} goal={goal ?? null} />
        )}
      </When>
    </Card>
  );
}

interface RowsProps {
  readonly rows: readonly Row[];
  readonly goal: MoneyGoal | null;
}

function Rows({ rows, goal }: RowsProps) {
  if (rows.length === 0) return <Nothing>No visitors with a user_id in this period</Nothing>;
  return (
    <Scroll label="Table of visitors" csv="people">
      <table class="grid visitors">
        <thead>
          <tr>
            {["Visitor", "Last seen", "First source", "Country", "Device"].map((head) => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
            {["Sessions", "Page views", "Events"].map((head) => (
              <th key={head} scope="col" class="num">
                {head}
              </th>
            ))}
            {goal !== null && (
              <th scope="col" class="num">
                <Said text={goal.name} />
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <Visitor key={String(row.user_id)} row={row} goal={goal} />
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

interface VisitorProps {
  readonly row: Row;
  readonly goal: MoneyGoal | null;
}

function Visitor({ row, goal }: VisitorProps) {
  const id = String(row.user_id);
  const { last_date: seen, "user.first_country": country } = row;
  return (
    <tr>
      <th scope="row" class="long">
        <a class="link" href={linkToPerson(id)}>
          <Said text={id} />
        </a>
      </th>
      <td class="date">{seen == null ? "–" : fullDate(String(seen))}</td>
      <td>
        <Said text={String(row["user.first_source"] ?? "–")} />
      </td>
      <td>{country == null ? "–" : countryName(String(country))}</td>
      <td>
        <Said text={String(row["user.first_device"] ?? "–")} />
      </td>
      <td class="num">{exact(Number(row.session_count))}</td>
      <td class="num">{exact(Number(row.page_views))}</td>
      <td class="num">{exact(Number(row.event_count))}</td>
      {goal !== null && <td class="num">{money(Number(row.revenue ?? 0), goal.currency)}</td>}
    </tr>
  );
}

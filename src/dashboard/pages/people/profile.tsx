import type { ComponentChildren } from "preact";
import type { QueryAnswer } from "../../data/answers";
import type { JourneyAnswer } from "../../data/people-answers";
import * as queries from "../../data/queries";
import { useRead } from "../../data/reads";
import { dayAndClock, fullDate } from "../../lib/dates";
import { countryName, exact } from "../../lib/format";
import { money } from "../../lib/money";
import { linkTo } from "../../state/route";
import { scope } from "../../state/scope";
import { Card } from "../../ui/card";
import { Said } from "../../ui/said";

interface GoalsOfPerson {
  readonly rows: readonly {
    readonly goal: { readonly id: string; readonly name: string };
    readonly goal_events: number;
    readonly revenue: number | null;
    readonly currency: string | null;
  }[];
}

interface ProfileProps {
  readonly answer: JourneyAnswer;
  readonly person: string;
}

/** Returns the name of a visitor: the trait `name`, else the trait `email`, else the id. */
function nameOf({ profiles }: Pick<JourneyAnswer, "profiles">, person: string): string {
  for (const key of ["name", "email"]) {
    const known = profiles.map(({ traits }) => traits[key]);
    const name = known.find((one) => typeof one === "string" && one.trim() !== "");
    if (name !== undefined) return String(name);
  }
  return person;
}

/** One visitor over all time: first and last visit, numbers and revenue. */
export function Profile({ answer, person }: ProfileProps) {
  const requests = queries.person(scope.value.project, person);
  const first = useRead<QueryAnswer>("The visitor's first visit", requests.first).data?.rows[0];
  const numbers = useRead<QueryAnswer>("The visitor's numbers", requests.numbers).data?.rows[0];
  const goals = useRead<GoalsOfPerson>("The visitor's goals", requests.goals).data?.rows ?? [];
  const seen = answer.profiles.map(({ last_seen }) => last_seen ?? 0);
  const lastMs = Math.max(0, ...seen);
  const country = first?.["user.first_country"];
  const date = first?.["user.first_date"];
  const name = nameOf(answer, person);
  return (
    <Card
      about="query"
      title="Visitor"
      note="All stored visits of this visitor."
      tools={
        <a class="small" href={linkTo("people")}>
          All visitors
        </a>
      }
    >
      <p class="finding">
        <b>
          <Said text={name} />
        </b>
        {name !== person && (
          <>
            {" "}
            <small>
              <Said text={person} />
            </small>
          </>
        )}
      </p>
      <dl class="facts">
        <Fact name="First source">{first?.["user.first_source"]}</Fact>
        <Fact name="First seen">{date == null ? null : fullDate(String(date))}</Fact>
        <Fact name="Last seen">{lastMs === 0 ? null : dayAndClock(lastMs)}</Fact>
        <Fact name="Country">{country == null ? null : countryName(String(country))}</Fact>
        <Fact name="Device">{first?.["user.first_device"]}</Fact>
        <Fact name="Sessions">{countIn(numbers?.session_count)}</Fact>
        <Fact name="Page views">{countIn(numbers?.page_views)}</Fact>
        <Fact name="Events">{countIn(numbers?.event_count)}</Fact>
        {goals
          .filter(({ goal_events }) => goal_events > 0)
          .map(({ goal, goal_events, revenue, currency }) => (
            <Fact key={goal.id} name={goal.name}>
              {exact(goal_events) + (revenue === null ? "" : `, ${money(revenue, currency)}`)}
            </Fact>
          ))}
      </dl>
    </Card>
  );
}

const countIn = (value: string | number | null | undefined): string | null =>
  value == null ? null : exact(Number(value));

interface FactProps {
  readonly name: string;
  readonly children: ComponentChildren;
}

const Fact = ({ name, children }: FactProps) =>
  children == null ? null : (
    <>
      <dt>
        <Said text={name} />
      </dt>
      <dd>{typeof children === "string" ? <Said text={children} /> : children}</dd>
    </>
  );

import { DaysCard } from "../../charts/days-card";
import type { BotsAnswer } from "../../data/answers";
import * as queries from "../../data/queries";
import { useRead } from "../../data/reads";
import { dayAndClock } from "../../lib/dates";
import { exact } from "../../lib/format";
import { zone } from "../../lib/zone";
import { scope } from "../../state/scope";
import { BarList } from "../../ui/bar-list";
import { Card } from "../../ui/card";
import { Delta } from "../../ui/delta";
import { Empty, When } from "../../ui/states";

/** The page of what was kept out of the numbers: automated requests, by who sent them. */
export function BotsPage() {
  const reading = useRead<BotsAnswer>("Automated requests", {
    method: "GET",
    path: "/bot-traffic",
    query: { project: scope.value.project, ...queries.dates(scope.value), limit: 50 },
  });
  return (
    <When reading={reading} rows={14}>
      {({ summary: { automated_requests: all, dropped_events: dropped }, ...answer }) => (
        <div class="stack">
          <DaysCard
            about="automated"
            title={`${exact(all.current)} automated requests`}
            unit="Requests"
            days={answer.time_series.map(({ date, requests: value }) => ({ date, value }))}
            note={note()}
          >
            {all.current + all.previous === 0 ? (
              "None in this period or the previous one."
            ) : (
              <>
                <Delta now={all.current} before={all.previous} isInverse /> against the period
                before; {exact(dropped.current)} events were not stored.
              </>
            )}
          </DaysCard>
          {answer.actors.length === 0 ? (
            <Empty>
              <strong>No automated requests in this period</strong>
              <p>
                Crawlers, AI agents and monitors will appear here. They do not count in other
                reports.
              </p>
            </Empty>
          ) : (
            <Who answer={answer} of={all.current} />
          )}
        </div>
      )}
    </When>
  );
}

const note = (): string =>
  `Automated requests are counted only on this page.${zone.value === "UTC" ? "" : " Dates are in UTC."}`;

/** `ai_agent` as people write it. */
function kindOf(category: string): string {
  const words = category.replaceAll("_", " ").replace(/^ai\b/, "AI");
  return words.slice(0, 1).toUpperCase() + words.slice(1);
}

interface WhoProps {
  readonly answer: Pick<BotsAnswer, "categories" | "actors" | "operators">;
  readonly of: number;
}

const Who = ({ answer, of }: WhoProps) => (
  <>
    <div class="halves">
      <Card about="automated" title="Categories">
        <BarList
          head="Category"
          unit="Requests"
          rows={answer.categories.map(({ category, requests: value }) => ({
            ...{ key: category, label: kindOf(category), value, of },
          }))}
        />
      </Card>
      {answer.operators.length > 0 && (
        <Card about="automated" title="Operators">
          <BarList
            head="Operator"
            unit="Requests"
            max={12}
            rows={answer.operators.map(({ operator, requests: value, last_seen_at }) => {
              const hint = `last ${dayAndClock(last_seen_at)}`;
              return { ...{ key: operator, label: operator, hint, value, of } };
            })}
          />
        </Card>
      )}
    </div>
    <Card about="automated" title="Bots" wide>
      <BarList
        head="Name"
        unit="Requests"
        max={12}
        rows={answer.actors.map(({ actor, operator, requests: value, last_seen_at }) => {
          const last = `last ${dayAndClock(last_seen_at)}`;
          const hint = operator === null ? last : `of ${operator}, ${last}`;
          return { ...{ key: actor, label: actor, hint, value, of } };
        })}
      />
    </Card>
  </>
);

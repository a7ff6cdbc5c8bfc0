import { LineChart } from "../../charts/line-chart";
import type { BotsAnswer } from "../../data/answers";
import { useRead } from "../../data/reads";
import { dayAndClock, longDate, shortDate } from "../../lib/dates";
import { exact, short } from "../../lib/format";
import { ticks } from "../../lib/scale";
import { param, set } from "../../state/route";
import { scope } from "../../state/scope";
import { BarList } from "../../ui/bar-list";
import { Card, Tabs } from "../../ui/card";
import { Delta } from "../../ui/delta";
import { Empty, When } from "../../ui/states";

/** What was kept out of the numbers: automated requests, by who sent them. */
export function BotsPage() {
  const days = param("days") || "30d";
  const reading = useRead<BotsAnswer>("Automated requests", {
    method: "GET",
    path: "/bot-traffic",
    query: { project: scope.value.project, period: days, limit: 50 },
  });
  return (
    <When reading={reading} rows={14}>
      {(answer) => (
        <div class="stack">
          <Card
            title={`${exact(answer.summary.automated_requests.current)} automated requests`}
            wide
            tabs={
              <Tabs
                label="Period"
                value={days}
                options={[
                  ["7d", "7 days"],
                  ["30d", "30 days"],
                  ["90d", "90 days"],
                ]}
                choose={(key) => set({ days: key === "30d" ? null : key })}
              />
            }
            note="They are in no other number of this dashboard."
          >
            <p class="finding">
              <Delta
                now={answer.summary.automated_requests.current}
                before={answer.summary.automated_requests.previous}
                isInverse
              />{" "}
              against the period before; {exact(answer.summary.dropped_events.current)} events were
              not stored.
            </p>
            <LineChart
              title="Automated requests"
              labels={answer.time_series.map(({ date }) => longDate(date))}
              axis={answer.time_series.map(({ date }) => shortDate(date))}
              series={[
                {
                  name: "Requests",
                  kind: "main",
                  values: answer.time_series.map(({ requests }) => requests),
                },
              ]}
              ticks={ticks(Math.max(...answer.time_series.map(({ requests }) => requests), 1), 4)}
              format={short}
              formatExact={exact}
              height={190}
              isOpen
            />
          </Card>
          {answer.actors.length === 0 ? (
            <Empty>No automated request came in this period.</Empty>
          ) : (
            <Who answer={answer} />
          )}
        </div>
      )}
    </When>
  );
}

const Who = ({ answer }: { readonly answer: BotsAnswer }) => (
  <div class="halves">
    <Card title="Kinds">
      <BarList
        head="Kind"
        unit="Requests"
        rows={answer.categories.map(({ category, requests }) => ({
          key: category,
          label: category.replaceAll("_", " "),
          value: requests,
          of: answer.summary.automated_requests.current,
        }))}
      />
    </Card>
    <Card title="Who">
      <BarList
        head="Name"
        unit="Requests"
        max={12}
        rows={answer.actors.map(({ actor, requests, last_seen_at }) => ({
          key: actor,
          label: actor,
          hint: `last ${dayAndClock(last_seen_at)}`,
          value: requests,
          of: answer.summary.automated_requests.current,
        }))}
      />
    </Card>
  </div>
);

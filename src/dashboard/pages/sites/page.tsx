import { LineChart } from "../../charts/line-chart";
import type { SitesAnswer } from "../../data/answers";
import { useRead } from "../../data/reads";
import { longDate, rangeText, shortDate } from "../../lib/dates";
import { exact, short } from "../../lib/format";
import { ticks } from "../../lib/scale";
import { projects } from "../../state/account";
import { go, linkTo, param, set } from "../../state/route";
import { BarList } from "../../ui/bar-list";
import { Card, Tabs } from "../../ui/card";
import { Delta } from "../../ui/delta";
import { When } from "../../ui/states";

/** All projects of the account beside each other. */
export function SitesPage() {
  const days = param("days") || "30d";
  const reading = useRead<SitesAnswer>("All projects", {
    method: "GET",
    path: "/account/all-sites",
    query: { period: days, limit: 50 },
  });
  return (
    <When reading={reading} rows={14}>
      {({ summary, time_series, projects: active, period }) => {
        const quiet = projects.value.filter(({ id }) => !active.some((one) => one.id === id));
        return (
          <div class="stack">
            <Card
              title={titleOf(summary)}
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
              tools={
                <Delta now={summary.total_events.current} before={summary.total_events.previous} />
              }
            >
              <LineChart
                title={`Events, ${rangeText(period.from, period.to)}`}
                labels={time_series.map(({ date }) => longDate(date))}
                axis={time_series.map(({ date }) => shortDate(date))}
                series={[
                  { name: "Events", kind: "main", values: time_series.map(({ events }) => events) },
                ]}
                ticks={ticks(Math.max(...time_series.map(({ events }) => events), 1), 4)}
                format={short}
                formatExact={exact}
                height={220}
                isOpen
              />
            </Card>
            <Card
              title="Projects"
              note={
                quiet.length > 0
                  ? `Without events in this period: ${quiet.map(({ name }) => name).join(", ")}.`
                  : undefined
              }
            >
              <BarList
                head="Project"
                unit="Events"
                max={50}
                rows={active.map(({ name, events }) => ({
                  key: name,
                  label: name,
                  value: events,
                  of: summary.total_events.current,
                }))}
                choose={(name) => go(linkTo("overview", name))}
              />
            </Card>
          </div>
        );
      }}
    </When>
  );
}

const titleOf = ({
  total_events,
  active_projects,
  total_projects,
}: SitesAnswer["summary"]): string =>
  `${exact(total_events.current)} events in ${active_projects} of ${total_projects} projects`;

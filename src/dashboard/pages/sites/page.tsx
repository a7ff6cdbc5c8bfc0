import { DaysCard } from "../../charts/days-card";
import type { SitesAnswer } from "../../data/answers";
import * as queries from "../../data/queries";
import { useRead } from "../../data/reads";
import { exact } from "../../lib/format";
import { zone } from "../../lib/zone";
import { projects } from "../../state/account";
import { go, linkTo } from "../../state/route";
import { scope } from "../../state/scope";
import { BarList } from "../../ui/bar-list";
import { Card } from "../../ui/card";
import { Delta } from "../../ui/delta";
import { When } from "../../ui/states";
import { noteOf } from "./note";

/** All projects of the account beside each other. */
export function SitesPage() {
  const reading = useRead<SitesAnswer>("All projects", {
    method: "GET",
    path: "/account/all-sites",
    query: { ...queries.dates(scope.value), tz: zone.value, limit: 1000 },
  });
  return (
    <When reading={reading} rows={14}>
      {(answer) => {
        const { summary, time_series, projects: active } = answer;
        const { total_events: all } = summary;
        return (
          <div class="stack">
            <DaysCard
              about="sites"
              title={titleOf(summary)}
              unit="Events"
              days={time_series.map(({ date, events: value }) => ({ date, value }))}
            >
              <Delta now={all.current} before={all.previous} /> compared with the previous period.
            </DaysCard>
            <Card about="sites" title="Projects" note={noteOf(answer, projects.value)}>
              <BarList
                head="Project"
                unit="Events"
                max={50}
                rows={active.map(({ name, events: value }) => ({
                  ...{ key: name, label: name, value, of: all.current },
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

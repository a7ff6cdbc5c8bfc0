import type { ComponentChildren } from "preact";
import type { PageRow, PagesAnswer } from "../../data/answers";
import * as queries from "../../data/queries";
import { useRead } from "../../data/reads";
import { duration, exact, percent } from "../../lib/format";
import { startedMeaning, startedSessions } from "../../lib/words";
import { encode } from "../../state/filters";
import { linkTo, param, set } from "../../state/route";
import { scope } from "../../state/scope";
import { Card, Tabs } from "../../ui/card";
import { Searched } from "../../ui/details";
import { Nothing } from "../../ui/nothing";
import { Said, SaidBelow } from "../../ui/said";
import { SameVisitors } from "../../ui/same-visitors";
import { Scroll } from "../../ui/scroll";
import { When } from "../../ui/states";
import { useComparable } from "../../ui/use-comparable";
import { pageField } from "../../ui/values-of";

const types = [
  ["all", "All pages"],
  ["entry", "Entry pages"],
  ["exit", "Exit pages"],
] as const;

/** The page of pages: all of them, or those where sessions begin or end. */
export function PagesPage() {
  const type = types.find(([key]) => key === param("type"))?.[0] ?? "all";
  const choice = (
    <Tabs
      label="Pages"
      value={type}
      options={types}
      choose={(key) => set({ type: key === "all" ? null : key })}
    />
  );
  const hasDelta = useComparable();
  if (type !== "all") return <Ends type={type} choice={choice} />;
  return (
    <Card about="query" title="Pages" wide tabs={choice}>
      <SameVisitors page="pages" />
      <Searched field={pageField} head="Page" hasDelta={hasDelta} />
    </Card>
  );
}

interface EndsProps {
  readonly type: "entry" | "exit";
  readonly choice: ComponentChildren;
}

/** The pages where sessions begin or end, with numbers of these sessions. */
function Ends({ type, choice }: EndsProps) {
  const reading = useRead<PagesAnswer>(
    type === "entry" ? "Entry pages of sessions" : "Exit pages of sessions",
    queries.pages(scope.value, type, 200),
  );
  return (
    <Card
      about="pages"
      title={type === "entry" ? "Where sessions begin" : "Where sessions end"}
      wide
      note={startedMeaning}
      tabs={choice}
    >
      <When reading={reading} rows={14}>
        {(answer) => <Table rows={answer.entry_pages ?? answer.exit_pages ?? []} />}
      </When>
    </Card>
  );
}

function Table({ rows }: { readonly rows: readonly PageRow[] }) {
  if (rows.length === 0) return <Nothing>No sessions with a page in this period</Nothing>;
  const max = Math.max(...rows.map(({ sessions }) => sessions));
  return (
    <Scroll label="Table of pages" csv="pages">
      <table class="grid">
        <thead>
          <tr>
            <th scope="col">Page</th>
            <th scope="col" class="num">
              {startedSessions}
            </th>
            <th scope="col" class="num">
              Bounce rate
            </th>
            <th scope="col" class="num">
              Average duration
            </th>
            <th scope="col" class="num">
              Events per session
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.page}>
              <th scope="row" class="long">
                <a
                  class="plain link"
                  href={linkTo("overview", scope.value.project, {
                    filter: encode({ field: "properties.path", op: "eq", value: row.page }),
                  })}
                >
                  <Said text={row.page} />
                </a>
                <SaidBelow text={row.page} />
              </th>
              <td class="num meter">
                <i class="meter-bar" style={{ inlineSize: `${(row.sessions / max) * 100}%` }} />
                <span>{exact(row.sessions)}</span>
              </td>
              <td class="num">{percent(row.bounce_rate)}</td>
              <td class="num">{duration(row.avg_duration)}</td>
              <td class="num">{row.avg_events}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

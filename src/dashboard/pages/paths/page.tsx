import type { PathsAnswer, PropertiesAnswer } from "../../data/answers";
import * as queries from "../../data/queries";
import { useRead } from "../../data/reads";
import { brief, exact, percent } from "../../lib/format";
import { startedMeaning, startedSessions } from "../../lib/words";
import { param, set } from "../../state/route";
import { scope } from "../../state/scope";
import { BarList } from "../../ui/bar-list";
import { Card, Tabs } from "../../ui/card";
import { Nothing } from "../../ui/nothing";
import { When } from "../../ui/states";
import { Flow } from "./flow";

/** This page shows how people go from where they begin to a goal, or to where they leave. */
export function PathsPage() {
  const knowing = useRead<PropertiesAnswer>(
    "Events and property keys",
    queries.properties(scope.value),
  );
  const known = knowing.data;
  const named =
    known?.events
      .map(({ event }) => event)
      .filter((event) => event !== "page_view" && !event.startsWith("$")) ?? [];
  const goal = param("goal") || (named.includes("signup") ? "signup" : (named[0] ?? ""));
  const since = param("since") || "30d";
  const reading = useRead<PathsAnswer>(
    "Paths to the goal",
    goal === ""
      ? null
      : {
          method: "POST",
          path: "/paths",
          body: {
            project: scope.value.project,
            goal_event: goal,
            since,
            max_steps: 4,
            entry_limit: 12,
            path_limit: 6,
            ...(scope.value.filters.length > 0 && { filters: scope.value.filters }),
          },
        },
  );
  return (
    <div class="stack">
      <section class="card controls" aria-label="Question">
        {goal !== "" && (
          <label class="inline">
            Paths to
            <select value={goal} onChange={(event) => set({ goal: event.currentTarget.value })}>
              {(named.includes(goal) ? named : [goal, ...named]).map((event) => (
                <option key={event} value={event}>
                  {event}
                </option>
              ))}
            </select>
          </label>
        )}
        <Tabs
          label="Period"
          value={since}
          options={[
            ["7d", "7 days"],
            ["14d", "14 days"],
            ["30d", "30 days"],
            ["90d", "90 days"],
          ]}
          choose={(key) => set({ since: key === "30d" ? null : key })}
        />
      </section>
      {known === undefined ? (
        <When reading={knowing} rows={10}>
          {() => null}
        </When>
      ) : goal === "" ? (
        <Nothing>No goal to choose: this period has no events except page views</Nothing>
      ) : (
        <When reading={reading} rows={12}>
          {(answer) => <Answer answer={answer} />}
        </When>
      )}
    </div>
  );
}

const titleOf = ({ conversion_rate, entry_page }: Entry, goal: string): string =>
  `${percent(conversion_rate)} of sessions from ${brief(entry_page)} reach ${brief(goal)}`;

type Entry = PathsAnswer["entry_paths"][number];

/** The page from where most reach the goal says most. */
const best = ({ entry_paths }: PathsAnswer) =>
  entry_paths.reduce<(typeof entry_paths)[number] | undefined>(
    (found, one) => (found === undefined || one.conversions > found.conversions ? one : found),
    undefined,
  );

const legend =
  "Height shows the number of sessions. Green sessions reach the goal, grey ones leave, and dashed ones " +
  "continue for more than four steps. Blank space is the least frequent paths.";

function Answer({ answer }: { readonly answer: PathsAnswer }) {
  const chosen =
    answer.entry_paths.find(({ entry_page }) => entry_page === param("from")) ?? best(answer);
  if (chosen === undefined) return <Nothing>No sessions with a page in this period</Nothing>;
  return (
    <div class="paths">
      <Card
        about="paths"
        title="Entry page"
        note={`${startedMeaning} Choose a page to see the paths from it.`}
      >
        <BarList
          head="Page"
          unit={startedSessions}
          shareHead="Reach goal"
          max={12}
          choose={(page) => set({ from: page })}
          isChosen={(page) => page === chosen.entry_page}
          rows={answer.entry_paths.map(({ entry_page, sessions, conversion_rate }) => ({
            key: entry_page,
            label: entry_page,
            value: sessions,
            share: percent(conversion_rate),
          }))}
        />
      </Card>
      <Card
        about="paths"
        title={titleOf(chosen, answer.goal_event)}
        wide
        tools={
          <span class="fine">
            {exact(chosen.conversions)} of {exact(chosen.sessions)}
          </span>
        }
        note={legend}
      >
        <Flow entry={chosen} />
      </Card>
    </div>
  );
}

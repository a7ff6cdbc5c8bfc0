import type { PropertiesAnswer } from "../../data/answers";
import type { PathsAnswer } from "../../data/path-answers";
import * as queries from "../../data/queries";
import { useRead } from "../../data/reads";
import type { ApiRequest } from "../../data/request";
import { brief, exact, percent } from "../../lib/format";
import { startedMeaning, startedSessions } from "../../lib/words";
import { type ChosenEvent, chosenIn } from "../../state/chosen-event";
import { param, place, set } from "../../state/route";
import { scope } from "../../state/scope";
import { BarList } from "../../ui/bar-list";
import { Card } from "../../ui/card";
import { EventChoice } from "../../ui/event-choice";
import { useGoalNames } from "../../ui/goal-names";
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
  const goals = useGoalNames();
  const named =
    known?.events
      .map(({ event }) => event)
      .filter((event) => event !== "page_view" && !event.startsWith("$")) ?? [];
  const usual = named.includes("signup") ? "signup" : named[0];
  const end =
    chosenIn(place.value.params, "goal") ?? (usual === undefined ? null : { event: usual });
  const reading = useRead<PathsAnswer>("Paths to the goal", end && requestOf(end));
  return (
    <div class="stack">
      {(end !== null || goals.length > 0) && (
        <section class="card controls" aria-label="Question">
          <EventChoice
            label="Paths to"
            name="goal"
            events={named}
            goals={goals}
            {...(end === null ? { none: "Choose one" } : { usual: end })}
          />
        </section>
      )}
      {known === undefined ? (
        <When reading={knowing} rows={10}>
          {() => null}
        </When>
      ) : end === null ? (
        <Nothing>No goal to choose: this period has no events except page views</Nothing>
      ) : (
        <When reading={reading} rows={12}>
          {(answer) => <Answer answer={answer} />}
        </When>
      )}
    </div>
  );
}

const requestOf = ({ event, goal }: ChosenEvent): ApiRequest => ({
  method: "POST",
  path: "/paths",
  body: {
    project: scope.value.project,
    goal_event: goal === undefined ? event : { goal },
    ...queries.dates(scope.value),
    ...{ max_steps: 4, entry_limit: 12, path_limit: 6 },
    ...(scope.value.filters.length > 0 && { filters: scope.value.filters }),
  },
});

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
  "Height shows the number of sessions. Green sessions reach the goal, those in a dashed frame after more than " +
  "four steps. Dashed grey ones go on without it, and grey ones leave. Blank space is the least frequent paths.";

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
        title={titleOf(chosen, answer.goal?.name ?? answer.goal_event)}
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

import { useEffect, useState } from "preact/hooks";
import type { ArrivalsAnswer, Project } from "../../data/answers";
import { call, mayPoll } from "../../data/api";
import { prepare, type Reading, useRead } from "../../data/reads";
import { clock } from "../../lib/dates";
import { zone } from "../../lib/zone";
import { loadProjects } from "../../state/account";
import { may } from "../../state/rights";
import { Defined } from "../../ui/defined";
import { Said, SaidWhole } from "../../ui/said";
import { Scroll } from "../../ui/scroll";
import { When } from "../../ui/states";
import { type Action, useAction } from "../../ui/use-action";
import { originsOf } from "./origins";

interface ProjectProps {
  readonly project: Project;
}

const pollMs = 2_000;
const pathOf = ({ id }: Project): string => `/projects/${encodeURIComponent(id)}`;
const requestOf = (project: Project) =>
  ({ method: "GET", path: `${pathOf(project)}/arrivals` }) as const;

/** Asks repeatedly, while it is looked at, for what reached a project since the server started. */
export function useArrivals(project: Project): Reading<ArrivalsAnswer> {
  const request = requestOf(project);
  useEffect(() => {
    const timer = setInterval(() => {
      if (mayPoll()) void prepare(request, pollMs - 500);
    }, pollMs);
    return () => clearInterval(timer);
  }, [project.id]);
  return useRead<ArrivalsAnswer>("Arriving events", request);
}

/** Shows, in the settings of a project, whether events come, and what came and was not stored. */
export function Arrivals({ project }: ProjectProps) {
  const reading = useArrivals(project);
  return (
    <When reading={reading} rows={2}>
      {(answer) => (
        <>
          <p class="finding" role="status">
            {stateOf(answer, project)}
          </p>
          <Remedies answer={answer} project={project} />
        </>
      )}
    </When>
  );
}

interface RemediesProps extends ProjectProps {
  readonly answer: ArrivalsAnswer;
}

/** Shows what came and was not stored, with what to do; and sends an event to try with. */
export function Remedies({ answer, project }: RemediesProps) {
  const action = useAction();
  const sendTest = () =>
    action.run(async () => {
      await call({ method: "POST", path: `${pathOf(project)}/test-event` });
      await prepare(requestOf(project), 0);
    });
  return (
    <>
      <NotStored answer={answer} project={project} action={action} />
      {may("edit") && (
        <button
          id="send-test"
          type="button"
          class="small"
          disabled={action.isBusy}
          onClick={sendTest}
        >
          Send a test event
        </button>
      )}
      {action.error !== "" && (
        <p class="alert" role="alert">
          {action.error}
        </p>
      )}
    </>
  );
}

function stateOf({ stored, first_event_at: first }: ArrivalsAnswer, project: Project): string {
  if (stored > 0 && first !== null)
    return `Events have been arriving since ${clock(first)} ${zone.value}.`;
  return project.total_events > 0
    ? "Events arrived earlier, but none since the server started."
    : "Waiting for the first event. Open a page of your site that has the snippet.";
}

interface NotStoredProps extends RemediesProps {
  readonly action: Action;
}

function NotStored({ answer, project, action }: NotStoredProps) {
  const [allowed, setAllowed] = useState<readonly string[]>([]);
  const origins = answer.refused_origins.filter(({ origin }) => !allowed.includes(origin));
  const others = [
    ...answer.automated.map((one) => ({
      ...one,
      what: `Automated: ${one.actor} (${one.category})`,
    })),
    ...answer.refused_events.map((one) => ({
      ...one,
      what: `Refused: ${one.code}${one.field === null ? "" : ` (${one.field})`}`,
    })),
  ];
  if (origins.length + others.length === 0) return null;
  const allow = (origin: string) =>
    action.run(async () => {
      const list = [...originsOf(project), origin].join(",");
      await call({ method: "PATCH", path: pathOf(project), body: { allowed_origins: list } });
      setAllowed([...allowed, origin]);
      await loadProjects();
    });
  return (
    <Scroll label="Table of requests that were not stored">
      <table class="grid">
        <thead>
          <tr>
            <th scope="col">
              Arrived, but not stored <Defined by="arrivals" name="Arrivals" />
            </th>
            <th scope="col" class="num">
              Requests
            </th>
          </tr>
        </thead>
        <tbody id="not-stored-rows">
          {origins.map(({ origin, requests }) => (
            <tr key={origin}>
              <th scope="row">
                From <Said text={origin} />
                {may("edit") && (
                  <p class="buttons">
                    <button type="button" class="small" onClick={() => allow(origin)}>
                      Allow this origin
                    </button>
                  </p>
                )}
              </th>
              <td class="num">{requests}</td>
            </tr>
          ))}
          {others.map(({ what, requests, remedy }) => (
            <tr key={what}>
              <th scope="row">
                <SaidWhole text={what} />
                <p class="fine">{remedy}</p>
              </th>
              <td class="num">{requests}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

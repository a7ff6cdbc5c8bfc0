import { useEffect, useState } from "preact/hooks";
import type { ArrivalsAnswer, Project } from "../../data/answers";
import { call } from "../../data/api";
import { prepare, useRead } from "../../data/reads";
import { copyText } from "../../lib/copy";
import { clock } from "../../lib/dates";
import { loadProjects } from "../../state/account";
import { Card } from "../../ui/card";
import { Scroll } from "../../ui/scroll";
import { When } from "../../ui/states";
import { type Action, useAction } from "../../ui/use-action";
import { originsOf } from "./origins";

interface Installation {
  readonly snippet: string;
  readonly snippet_note: string;
}
interface ProjectProps {
  readonly project: Project;
}

const pollMs = 4_000;

/** What goes into the site's pages, and what came of it. */
export function Snippet({ project }: ProjectProps) {
  // Making a project that exists changes nothing and tells its snippet again.
  const domain = originsOf(project).find((origin) => origin !== "*") ?? location.origin;
  const body = { name: project.name, domain };
  const reading = useRead<Installation>("The snippet", { method: "POST", path: "/projects", body });
  return (
    <Card title="Snippet" wide>
      <When reading={reading} rows={3}>
        {({ snippet, snippet_note }) => (
          <>
            <p class="fine">{snippet_note}</p>
            <pre class="code-block" id="snippet">
              {snippet}
            </pre>
            <button type="button" class="small" onClick={() => void copyText(snippet)}>
              Copy
            </button>
          </>
        )}
      </When>
      <Arrivals project={project} />
    </Card>
  );
}

function Arrivals({ project }: ProjectProps) {
  const path = `/projects/${encodeURIComponent(project.id)}`;
  const request = { method: "GET", path: `${path}/arrivals` } as const;
  const reading = useRead<ArrivalsAnswer>("What arrived", request);
  const action = useAction();
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === "visible") void prepare(request, pollMs - 500);
    }, pollMs);
    return () => clearInterval(timer);
  }, [project.id]);
  const sendTest = () =>
    action.run(async () => {
      await call({ method: "POST", path: `${path}/test-event` });
      await prepare(request, 0);
    });
  return (
    <When reading={reading} rows={2}>
      {(answer) => (
        <>
          <p class="finding" role="status">
            {stateOf(answer, project)}
          </p>
          <NotStored answer={answer} project={project} action={action} />
          <button type="button" class="small" disabled={action.isBusy} onClick={sendTest}>
            Send a test event
          </button>
          {action.error !== "" && (
            <p class="alert" role="alert">
              {action.error}
            </p>
          )}
        </>
      )}
    </When>
  );
}

function stateOf({ stored, first_event_at: first }: ArrivalsAnswer, project: Project): string {
  if (stored > 0 && first !== null) return `Events arrive, since ${clock(first)} UTC.`;
  return project.total_events > 0
    ? "Events have arrived, but none since the server was started."
    : "Waiting for the first event: open a page of the site that has the snippet.";
}

interface NotStoredProps extends ProjectProps {
  readonly answer: ArrivalsAnswer;
  readonly action: Action;
}

function NotStored({ answer, project, action }: NotStoredProps) {
  const [allowed, setAllowed] = useState<readonly string[]>([]);
  const origins = answer.refused_origins.filter(({ origin }) => !allowed.includes(origin));
  const others = [
    ...answer.automated.map((one) => ({ ...one, what: `Automated: ${one.actor}` })),
    ...answer.refused_events.map((one) => ({ ...one, what: `Refused: ${one.code}` })),
  ];
  if (origins.length + others.length === 0) return null;
  const allow = (origin: string) =>
    action.run(async () => {
      const list = [...originsOf(project), origin].join(",");
      const path = `/projects/${encodeURIComponent(project.id)}`;
      await call({ method: "PATCH", path, body: { allowed_origins: list } });
      setAllowed([...allowed, origin]);
      await loadProjects();
    });
  return (
    <Scroll label="Arrived, but not stored">
      <table class="grid">
        <thead>
          <tr>
            <th scope="col">Arrived, but not stored</th>
            <th scope="col" class="num">
              Requests
            </th>
            <th scope="col">What to do</th>
          </tr>
        </thead>
        <tbody>
          {origins.map(({ origin, requests }) => (
            <tr key={origin}>
              <th scope="row">
                From <bdi>{origin}</bdi>
              </th>
              <td class="num">{requests}</td>
              <td>
                <button type="button" class="small" onClick={() => allow(origin)}>
                  Allow this origin
                </button>
              </td>
            </tr>
          ))}
          {others.map(({ what, requests, remedy }) => (
            <tr key={what}>
              <th scope="row">
                <bdi>{what}</bdi>
              </th>
              <td class="num">{requests}</td>
              <td>{remedy}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

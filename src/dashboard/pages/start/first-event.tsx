import { useEffect } from "preact/hooks";
import type { ArrivalsAnswer, Project } from "../../data/answers";
import { serverAddress } from "../../lib/server-path";
import { loadProjects } from "../../state/account";
import { linkTo } from "../../state/route";
import { linkToSettings } from "../../state/settings";
import { Card } from "../../ui/card";
import { CopyBlock } from "../../ui/copy-block";
import { When } from "../../ui/states";
import { Remedies, useArrivals } from "../project/arrivals";

interface FirstEventProps {
  readonly project: Project;
  /** Shown once, and only if it has just been made. */
  readonly apiKey: string;
}

/** Waits until something has come, and says what came and was not stored. */
export function FirstEvent({ project, apiKey }: FirstEventProps) {
  const reading = useArrivals(project);
  const hasArrived = project.total_events > 0 || (reading.data?.stored ?? 0) > 0;
  useEffect(() => {
    if (hasArrived && project.total_events === 0) void loadProjects();
  }, [hasArrived]);
  return (
    <Card title="3. First event">
      <When reading={reading} rows={3}>
        {(answer) => (
          <>
            <p id="waiting-status" class={hasArrived ? "done" : "finding"} role="status">
              {hasArrived ? arrivedText(answer) : "Waiting for the first event…"}
            </p>
            {hasArrived ? <Arrived project={project} /> : <Help project={project} />}
            <CopyBlock
              id="first-read"
              text={curlForRead(project, apiKey || "YOUR_API_KEY")}
              what="the request that reads the event"
            />
            <Remedies answer={answer} project={project} />
          </>
        )}
      </When>
    </Card>
  );
}

const arrivedText = ({ first_event_at: first }: ArrivalsAnswer): string =>
  `The first event has arrived${first === null ? "" : ` at ${new Date(first).toLocaleTimeString()}`}.`;

const Arrived = ({ project }: { readonly project: Project }) => (
  <p class="buttons">
    <a id="to-overview" class="button" href={linkTo("overview", project.name)}>
      Open the overview
    </a>
    <a class="second" href={linkToSettings("goals", project.name)}>
      Make a goal
    </a>
    <span>or read the event with the API:</span>
  </p>
);

const Help = ({ project }: { readonly project: Project }) => (
  <div id="waiting-help">
    <p>
      Open a page of your site that has the snippet. If nothing arrives, check these two causes:
    </p>
    <ul class="plain-list">
      <li>
        The tracker does not send events on <code>localhost</code> and <code>127.*</code>: open the
        site at its own domain, or at a name such as <code>lvh.me</code>.
      </li>
      <li>
        Requests from <code>curl</code> belong to automated traffic unless you set a user agent of
        your own:
      </li>
    </ul>
    <CopyBlock
      id="first-event"
      text={curlForEvent(project)}
      what="the request that sends an event"
    />
  </div>
);

const curlForEvent = ({ project_token: token }: Project): string =>
  `curl -A my-app/1.0 ${serverAddress()}/track -d '${JSON.stringify({ token, event: "hello" })}'`;

const curlForRead = ({ name }: Project, key: string): string =>
  `curl -A my-app/1.0 -H "X-API-Key: ${key}" "${serverAddress()}/stats?project=${name}&since=7d"`;

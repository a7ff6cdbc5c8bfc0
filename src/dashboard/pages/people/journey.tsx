import type { JourneyAnswer } from "../../data/people-answers";
import { useRead } from "../../data/reads";
import { readable } from "../../data/request";
import { dayAndClock } from "../../lib/dates";
import { exact } from "../../lib/format";
import { may } from "../../state/rights";
import { linkTo } from "../../state/route";
import { scope } from "../../state/scope";
import { Card } from "../../ui/card";
import { Said, SaidWhole } from "../../ui/said";
import { Empty, When } from "../../ui/states";
import { Unlink } from "./unlink";

const shownMax = 500;

/** One person: what is known of them, and what they did in all projects that share people. */
export function Journey({ person }: { readonly person: string }) {
  const { project, period } = scope.value;
  const reading = useRead<JourneyAnswer>("A visitor's journey", {
    method: "GET",
    path: "/journey",
    query: { project, user_id: person, since: period.from, until: period.to, limit: shownMax },
  });
  return (
    <When reading={reading} rows={14}>
      {(answer) => (
        <div class="sessions">
          <Happened answer={answer} project={project} />
          <div class="stack">
            <Known answer={answer} person={person} />
            {may("edit") && <Unlink project={project} />}
          </div>
        </div>
      )}
    </When>
  );
}

interface HappenedProps {
  readonly answer: JourneyAnswer;
  readonly project: string;
}

/** The name of the project of an event, where that is another one than the page's. */
function elsewhere({ profiles, project }: JourneyAnswer, projectId: string): string {
  const name = profiles.find((profile) => profile.project_id === projectId)?.project ?? project;
  return name === project ? "" : name;
}

const Happened = ({ answer, answer: { events }, project }: HappenedProps) => (
  <Card
    about="identity"
    title="Events, newest first"
    wide
    note={
      events.length === shownMax ? `Only the newest ${exact(shownMax)} events of the period.` : ""
    }
    tools={
      <a class="small" href={linkTo("people")}>
        All visitors
      </a>
    }
  >
    {events.length === 0 ? (
      <Empty>
        <strong>No events in this period</strong>
        <p>Choose a longer period at the top of the page.</p>
      </Empty>
    ) : (
      <ol class="stream journey">
        {[...events].reverse().map((event) => (
          <li key={event.id} class="stream-row">
            <time>{dayAndClock(event.timestamp)}</time>
            <b>
              <Said text={event.event} />
            </b>
            <span class="cut">
              <SaidWhole text={String(event.properties?.path ?? "")} />
            </span>
            <small>
              <Said text={elsewhere(answer, event.project_id)} />
            </small>
            {event.session_id !== null && (
              <a class="small" href={linkTo("sessions", project, { session: event.session_id })}>
                Session
              </a>
            )}
          </li>
        ))}
      </ol>
    )}
  </Card>
);

interface KnownProps {
  readonly answer: JourneyAnswer;
  readonly person: string;
}

const Known = ({ answer: { profiles, matched_user_ids }, person }: KnownProps) => (
  <>
    <Card about="identity" title="Visitor">
      <p class="finding">
        <b>
          <Said text={person} />
        </b>
      </p>
      {matched_user_ids.length > 1 && (
        <>
          <p class="fine">IDs of this visitor:</p>
          <ul class="ids">
            {matched_user_ids.slice(0, 50).map((id) => (
              <li key={id}>
                <Said text={id} />
              </li>
            ))}
          </ul>
        </>
      )}
    </Card>
    {profiles.map((profile) => (
      <Card
        about="identity"
        key={profile.project_id + profile.user_id}
        title={`Traits from ${profile.project}`}
      >
        <p class="fine">
          {profile.first_seen !== null && `First seen ${dayAndClock(profile.first_seen)}. `}
          {profile.last_seen !== null && `Last seen ${dayAndClock(profile.last_seen)}.`}
        </p>
        {Object.keys(profile.traits).length > 0 && (
          <pre class="long">{readable(profile.traits)}</pre>
        )}
      </Card>
    ))}
  </>
);

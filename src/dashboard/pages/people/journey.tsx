import type { JourneyAnswer } from "../../data/people-answers";
import { useRead } from "../../data/reads";
import { readable } from "../../data/request";
import { dayAndClock } from "../../lib/dates";
import { exact } from "../../lib/format";
import { countOf } from "../../lib/words";
import { may, mayOpen } from "../../state/rights";
import { linkTo } from "../../state/route";
import { scope } from "../../state/scope";
import { Card } from "../../ui/card";
import { OwnEvents, withoutOwn } from "../../ui/own-events";
import { Said, SaidWhole } from "../../ui/said";
import { Empty, When } from "../../ui/states";
import { Profile } from "./profile";
import { SessionsOf } from "./sessions";
import { Unlink } from "./unlink";

const shownMax = 500;
/** The most values of one filter. */
const idsMax = 100;

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
          <div class="stack">
            <Profile answer={answer} person={person} />
            {mayOpen("sessions") && (
              <SessionsOf ids={[person, ...answer.matched_user_ids].slice(0, idsMax)} />
            )}
            <EventsCard answer={answer} project={project} />
          </div>
          <div class="stack">
            <KnownIds answer={answer} />
            {may("edit") && <Unlink project={project} />}
          </div>
        </div>
      )}
    </When>
  );
}

interface EventsCardProps {
  readonly answer: JourneyAnswer;
  readonly project: string;
}

/** The name of the project of an event, where that is another one than the page's. */
function elsewhere({ profiles, project }: JourneyAnswer, projectId: string): string {
  const name = profiles.find((profile) => profile.project_id === projectId)?.project ?? project;
  return name === project ? "" : name;
}

function EventsCard({ answer, project }: EventsCardProps) {
  const events = withoutOwn([...answer.events].reverse());
  return (
    <Card
      about="identity"
      title="Events, newest first"
      wide
      note={
        answer.events.length === shownMax
          ? `Only the newest ${exact(shownMax)} events of the period.`
          : ""
      }
      tools={<OwnEvents />}
    >
      {answer.events.length > 0 && events.length === 0 && (
        <p class="fine">All events of the period are $ events.</p>
      )}
      {answer.events.length === 0 ? (
        <Empty>
          <strong>No events in this period</strong>
          <p>Choose a longer period at the top of the page.</p>
        </Empty>
      ) : (
        bySession(events).map((group) => (
          <Group key={group[0]?.id} {...{ group, answer, project }} />
        ))
      )}
    </Card>
  );
}

type Events = JourneyAnswer["events"];

/** Events that follow each other in one session, or in none. */
function bySession(events: Events): Events[] {
  const groups: Events[number][][] = [];
  for (const event of events) {
    const group = groups.at(-1);
    if (group?.[0]?.session_id === event.session_id) group.push(event);
    else groups.push([event]);
  }
  return groups;
}

interface GroupProps extends EventsCardProps {
  readonly group: Events;
}

/** The events of one session below a link to it. */
function Group({ group, answer, project }: GroupProps) {
  const session = group[0]?.session_id ?? null;
  return (
    <>
      <p class="group-head">
        {session === null ? (
          "Without a session"
        ) : (
          <a class="link" href={linkTo("sessions", project, { session })}>
            Session
          </a>
        )}
        , {countOf(group.length, "event")}
      </p>
      <ol class="stream journey">
        {group.map((event) => (
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
          </li>
        ))}
      </ol>
    </>
  );
}

type OneProfile = JourneyAnswer["profiles"][number];
const hasMore = ({ traits }: OneProfile, _: number, all: readonly OneProfile[]): boolean =>
  all.length > 1 || Object.keys(traits).length > 0;

const KnownIds = ({
  answer: { profiles, matched_user_ids },
}: {
  readonly answer: JourneyAnswer;
}) => (
  <>
    {matched_user_ids.length > 1 && (
      <Card about="identity" title="IDs of this visitor">
        <ul class="ids">
          {matched_user_ids.slice(0, 50).map((id) => (
            <li key={id}>
              <Said text={id} />
            </li>
          ))}
        </ul>
      </Card>
    )}
    {profiles.filter(hasMore).map((profile) => (
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

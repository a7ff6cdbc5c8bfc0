import { Fragment } from "preact";
import type { EventRow, EventsAnswer, ReplaysAnswer } from "../../data/people-answers";
import { useRead } from "../../data/reads";
import { recordingAt } from "../../data/watch";
import { clock } from "../../lib/dates";
import { countryName, duration, exact } from "../../lib/format";
import { linkToPerson } from "../../state/links";
import { mayOpen } from "../../state/rights";
import { set } from "../../state/route";
import { scope } from "../../state/scope";
import { Card } from "../../ui/card";
import { Nothing } from "../../ui/nothing";
import { OwnEvents, withoutOwn } from "../../ui/own-events";
import { Said, SaidWhole } from "../../ui/said";
import { When } from "../../ui/states";

/** The timeline of one session, with a link to the recording at each moment. */
export function Timeline({ session }: { readonly session: string }) {
  const { project, period } = scope.value;
  const reading = useRead<EventsAnswer>("Events of the session", {
    method: "GET",
    path: "/events",
    query: { project, session_id: session, since: period.from, until: period.to, limit: 1000 },
  });
  const recorded = useRead<ReplaysAnswer>("Recordings of the session", {
    method: "GET",
    path: "/replays",
    query: { project, session_id: session, since: period.from },
  });
  // Until the answer is there, the data is that of the session before.
  const replays = (recorded.data?.replays ?? []).filter(
    ({ analytics_session_id: id }) => id === session,
  );
  return (
    <Card
      about="sessions"
      title="One session"
      tools={
        <>
          <OwnEvents />
          <button type="button" class="small" onClick={() => set({ session: null })}>
            Close
          </button>
        </>
      }
    >
      <When reading={reading}>
        {({ events }) => {
          const first = events.at(-1);
          const inOrder = withoutOwn([...events].reverse());
          if (first === undefined)
            return <Nothing>The events of this session are outside this period</Nothing>;
          const { browser, os, device } = first.properties ?? {};
          return (
            <>
              <p class="finding">
                {first.user_id === null ? "Unknown visitor" : <Said text={first.user_id} />}
                {[countryOf(first), device, os, browser]
                  .filter((one) => typeof one === "string")
                  .map((one) => (
                    <Fragment key={one}>
                      , <Said text={one} />
                    </Fragment>
                  ))}
                .{" "}
                {first.user_id !== null && mayOpen("people") && (
                  <a class="link" href={linkToPerson(first.user_id)}>
                    View visitor
                  </a>
                )}
              </p>
              <ol class="timeline">
                {inOrder.map((event, i) => (
                  <Happening
                    key={event.id}
                    event={event}
                    gapMs={i === 0 ? 0 : event.timestamp - (inOrder[i - 1]?.timestamp ?? 0)}
                    recording={recordingAt(replays, event.timestamp)}
                  />
                ))}
              </ol>
            </>
          );
        }}
      </When>
    </Card>
  );
}

interface HappeningProps {
  readonly event: EventRow;
  readonly gapMs: number;
  readonly recording: ReturnType<typeof recordingAt>;
}

const countryOf = ({ country }: EventRow): string | null =>
  country === null ? null : countryName(country);

const kindOf = (name: string): string =>
  name === "page_view" ? "page" : name.startsWith("$") ? "passive" : "action";

const Happening = ({ event, gapMs, recording }: HappeningProps) => (
  <li data-kind={kindOf(event.event)}>
    <time title={exact(event.timestamp)}>{clock(event.timestamp)}</time>
    <span class="cut">
      <b>
        <Said text={event.event} />
      </b>{" "}
      <small>
        <SaidWhole text={String(event.properties?.path ?? "")} />
      </small>
    </span>
    <small>
      {gapMs > 1000 ? `+${duration(gapMs)} ` : ""}
      {recording !== undefined && (
        <button
          type="button"
          class="small"
          title="Watch the recording from here"
          onClick={() => set({ replay: recording.id, at: String(event.timestamp) })}
        >
          Watch
        </button>
      )}
    </small>
  </li>
);

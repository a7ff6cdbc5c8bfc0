import { clock } from "../../lib/dates";
import { countryName } from "../../lib/format";
import { param, set } from "../../state/route";
import { Card } from "../../ui/card";
import { Said, SaidWhole } from "../../ui/said";
import type { LiveEvent } from "./messages";

const shownMax = 30;
const idCharsMax = 16;

/**
 * The list of new events, newest first. Events of the recorder and tracker themselves, and long ids, are shown on
 * request.
 */
export function Feed({ events }: { readonly events: readonly LiveEvent[] }) {
  const isWhole = param("all") === "yes";
  const wanted = isWhole ? events : events.filter(({ event }) => !event.startsWith("$"));
  return (
    <Card
      about="live"
      title="Events"
      wide
      tools={
        <label class="inline">
          <input
            id="feed-all"
            type="checkbox"
            checked={isWhole}
            onChange={() => set({ all: isWhole ? null : "yes" }, true)}
          />
          Show $ events and full IDs
        </label>
      }
    >
      {wanted.length === 0 && (
        <p id="feed-none" class="fine">
          No events yet
        </p>
      )}
      <ol id="feed" class="stream">
        {wanted.slice(0, shownMax).map((one) => (
          <Row key={one.id} event={one} isWhole={isWhole} />
        ))}
      </ol>
    </Card>
  );
}

interface RowProps {
  readonly event: LiveEvent;
  readonly isWhole: boolean;
}

function Row({
  event: { event, properties, user_id: user, timestamp, country },
  isWhole,
}: RowProps) {
  const path = properties?.path;
  const isCut = !isWhole && user !== null && user.length > idCharsMax;
  return (
    <li class="stream-row">
      <time dateTime={new Date(timestamp).toISOString()}>{clock(timestamp)}</time>
      <b>
        <Said text={event} />
      </b>
      <span class="cut">
        <SaidWhole text={typeof path === "string" ? path : ""} />
      </span>
      <small>{country === null ? "" : countryName(country)}</small>
      <small class="cut" title={user ?? undefined}>
        <Said text={isCut ? `${user.slice(0, idCharsMax)}…` : (user ?? "")} />
      </small>
    </li>
  );
}

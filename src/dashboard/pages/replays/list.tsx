import type { Row } from "../../data/answers";
import type { ReplayRow, ReplaysAnswer } from "../../data/people-answers";
import { useSessionDetails } from "../../data/session-details";
import { dayAndClock } from "../../lib/dates";
import { countryName, duration, exact } from "../../lib/format";
import { param, set } from "../../state/route";
import { scope } from "../../state/scope";
import { Said } from "../../ui/said";
import { Scroll } from "../../ui/scroll";

const page = "session.entry_page";
const country = "session.country";
const device = "session.device";
const fieldsAndMetrics = { fields: [page, country, device], metrics: ["page_views"] };

/** Recordings with the page, country and device of their sessions. Each row has one action: to watch it. */
export function List({ answer: { replays, next_cursor } }: { readonly answer: ReplaysAnswer }) {
  const ids = [...new Set(replays.map(({ analytics_session_id: id }) => id))];
  const details = useSessionDetails(scope.value, ids, fieldsAndMetrics);
  return (
    <>
      <Scroll label="Table of recordings" csv="recordings">
        <table class="grid recordings">
          <thead>
            <tr>
              <th scope="col">Started</th>
              <th scope="col" class="num">
                Length
              </th>
              {["First page", "Country", "Device"].map((head) => (
                <th key={head} scope="col">
                  {head}
                </th>
              ))}
              {["Events", "Rage clicks", "Dead clicks", "Quick backs"].map((head) => (
                <th key={head} scope="col" class="num">
                  {head}
                </th>
              ))}
              <th scope="col">State</th>
            </tr>
          </thead>
          <tbody>
            {replays.map((row) => (
              <Recording key={row.id} row={row} detail={details.get(row.analytics_session_id)} />
            ))}
          </tbody>
        </table>
      </Scroll>
      <p class="pager">
        {param("cursor") !== "" && (
          <button type="button" class="small" onClick={() => history.back()}>
            Newer
          </button>
        )}
        {next_cursor !== null && (
          <button type="button" class="small" onClick={() => set({ cursor: next_cursor })}>
            More
          </button>
        )}
      </p>
    </>
  );
}

interface RecordingProps {
  readonly row: ReplayRow;
  readonly detail: Row | undefined;
}

const countText = (count: number | null): string => (count === null ? "–" : exact(count));

/** Recordings begin by the server's clock, but events have the time of the visitor's clock, which may be behind. */
const lengthOf = ({ started_at, ended_at, last_event_at }: ReplayRow): number =>
  Math.max(0, (ended_at ?? last_event_at) - started_at);

function Recording({ row, detail }: RecordingProps) {
  const isOpen = param("replay") === row.id;
  const started = dayAndClock(row.started_at);
  return (
    <tr>
      <th scope="row">
        <button
          type="button"
          class="small"
          disabled={!row.has_full_snapshot}
          aria-pressed={isOpen}
          aria-label={`Watch the recording of ${started}`}
          onClick={() => set({ replay: isOpen ? null : row.id, at: null })}
        >
          Watch
        </button>{" "}
        {started}
      </th>
      <td class="num">{duration(lengthOf(row))}</td>
      <td class="long">
        <Said text={textIn(detail, page)} />
      </td>
      <td>{detail?.[country] == null ? "–" : countryName(String(detail[country]))}</td>
      <td>
        <Said text={textIn(detail, device)} />
      </td>
      <td class="num">{exact(row.event_count)}</td>
      <td class="num">{countText(row.rage_clicks)}</td>
      <td class="num">{countText(row.dead_clicks)}</td>
      <td class="num">{countText(row.quick_backs)}</td>
      <td>{row.status === "recording" ? "recording now" : row.status}</td>
    </tr>
  );
}

const textIn = (detail: Row | undefined, field: string): string => String(detail?.[field] ?? "–");

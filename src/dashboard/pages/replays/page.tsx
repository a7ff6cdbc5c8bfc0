import { call, isGuest } from "../../data/api";
import type { ReplayRow, ReplaysAnswer } from "../../data/people-answers";
import { prepare, useRead } from "../../data/reads";
import { watch } from "../../data/watch";
import { dayAndClock } from "../../lib/dates";
import { bytes, duration, exact } from "../../lib/format";
import { may } from "../../state/rights";
import { linkTo, param, set } from "../../state/route";
import { scope } from "../../state/scope";
import { isShown } from "../../state/share";
import { Card } from "../../ui/card";
import { CopyBlock } from "../../ui/copy-block";
import { Nothing } from "../../ui/nothing";
import { Outcome } from "../../ui/outcome";
import { Scroll } from "../../ui/scroll";
import { Empty, When } from "../../ui/states";
import { useAction } from "../../ui/use-action";

const sorts = [
  ["started_at", "Newest"],
  ["duration", "Longest"],
  ["rage_clicks", "Most rage clicks"],
  ["dead_clicks", "Most dead clicks"],
  ["quick_backs", "Most quick backs"],
] as const;

/** Recordings of sessions; a person watches one in the viewer. */
export function ReplaysPage() {
  const { project, period } = scope.value;
  const reading = useRead<ReplaysAnswer>("Recordings", {
    method: "GET",
    path: "/replays",
    query: {
      project,
      since: period.from,
      sort: param("sort") || "started_at",
      limit: 50,
      ...(param("cursor") && { cursor: param("cursor") }),
    },
  });
  const order = (
    <label class="inline">
      Order
      <select
        value={param("sort") || "started_at"}
        onChange={(event) => {
          const sort = event.currentTarget.value;
          set({ sort: sort === "started_at" ? null : sort, cursor: null });
        }}
      >
        {sorts.map(([key, text]) => (
          <option key={key} value={key}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
  return (
    <Card
      about="recordings"
      title="Recordings"
      wide
      tools={order}
      note="From the first day of the period until now."
    >
      <When reading={reading} rows={10}>
        {(answer) => (answer.replays.length === 0 ? <None /> : <List answer={answer} />)}
      </When>
    </Card>
  );
}

interface Settings {
  readonly enabled: boolean;
  readonly snippet: string;
}

/** Recording is off until somebody switches it on, and needs a second script. */
function None() {
  const { project } = scope.value;
  const request = { method: "GET", path: "/replays/settings", query: { project } } as const;
  const { data } = useRead<Settings>("Replay settings", isGuest.value ? null : request);
  const { error, isBusy, run } = useAction();
  const enable = () =>
    run(async () => {
      await call({ method: "POST", path: "/replays/enable", body: { project } });
      await prepare(request, 0);
    });
  if (data === undefined) return <Nothing>No recordings in this period</Nothing>;
  return (
    <Empty>
      <strong>{data.enabled ? "No recordings in this period" : "Recording is off"}</strong>
      <p>
        {data.enabled
          ? "Add this after the tracker's snippet. Visitors who consent are then recorded."
          : "A recording shows what a visitor saw and did. Form inputs are never recorded."}
      </p>
      <Outcome error={error} done="" />
      {data.enabled ? (
        <div class="start">
          <CopyBlock text={data.snippet} what="the recorder's snippet" />
        </div>
      ) : (
        may("edit") && (
          <button type="button" class="primary" disabled={isBusy} onClick={enable}>
            Turn on recording
          </button>
        )
      )}
    </Empty>
  );
}

function List({ answer }: { readonly answer: ReplaysAnswer }) {
  const { error, isBusy, run } = useAction();
  return (
    <>
      {error !== "" && (
        <p class="alert" role="alert">
          {error}
        </p>
      )}
      <Scroll label="Table of recordings" csv="recordings">
        <table class="grid">
          <thead>
            <tr>
              <th scope="col">Started</th>
              {["Length", "Stored", "Rage clicks", "Dead clicks", "Quick backs"].map((head) => (
                <th key={head} scope="col" class="num">
                  {head}
                </th>
              ))}
              <th scope="col">State</th>
              <th scope="col">Watch</th>
            </tr>
          </thead>
          <tbody>
            {answer.replays.map((row) => (
              <Row key={row.id} row={row} isBusy={isBusy} watch={(id) => run(() => watch(id))} />
            ))}
          </tbody>
        </table>
      </Scroll>
      {answer.next_cursor !== null && (
        <p class="pager">
          <button type="button" class="small" onClick={() => set({ cursor: answer.next_cursor })}>
            More
          </button>
        </p>
      )}
    </>
  );
}

interface RowProps {
  readonly row: ReplayRow;
  readonly isBusy: boolean;
  readonly watch: (id: string) => void;
}

const countText = (count: number | null): string => (count === null ? "–" : exact(count));

const Row = ({ row, isBusy, watch }: RowProps) => (
  <tr>
    <th scope="row">
      {isShown("sessions") ? (
        <a
          class="link"
          href={linkTo("sessions", undefined, { session: row.analytics_session_id })}
          title="View session"
        >
          {dayAndClock(row.started_at)}
        </a>
      ) : (
        dayAndClock(row.started_at)
      )}
    </th>
    <td class="num">{row.ended_at === null ? "–" : duration(row.ended_at - row.started_at)}</td>
    <td class="num">{bytes(row.committed_bytes)}</td>
    <td class="num">{countText(row.rage_clicks)}</td>
    <td class="num">{countText(row.dead_clicks)}</td>
    <td class="num">{countText(row.quick_backs)}</td>
    <td>{row.status}</td>
    <td>
      <button
        type="button"
        class="small"
        disabled={!row.has_full_snapshot || isBusy}
        onClick={() => watch(row.id)}
      >
        Watch
      </button>
    </td>
  </tr>
);

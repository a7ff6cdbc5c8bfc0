import { useEffect } from "preact/hooks";
import { mayPoll } from "../../data/api";
import type { ReplaysAnswer } from "../../data/people-answers";
import * as queries from "../../data/queries";
import { prepare, useRead } from "../../data/reads";
import { encode, isSame } from "../../state/filters";
import { may } from "../../state/rights";
import { filters, param, set } from "../../state/route";
import { scope } from "../../state/scope";
import { shared } from "../../state/share";
import { Card } from "../../ui/card";
import { optionsOf } from "../../ui/options";
import { RecordingSettings } from "../../ui/recording-settings";
import { SameVisitors } from "../../ui/same-visitors";
import { When } from "../../ui/states";
import { Watching } from "../../ui/watching";
import { List } from "./list";
import { None } from "./none";

const sorts = [
  ["started_at", "Newest"],
  ["duration", "Longest"],
  ["rage_clicks", "Most rage clicks"],
  ["dead_clicks", "Most dead clicks"],
  ["quick_backs", "Most quick backs"],
] as const;

const pageRows = 50;
/** Running recordings grow while the reader looks at them. */
const lookEveryMs = 15_000;

/** Recordings of sessions. One of them plays beside the list. */
export function ReplaysPage() {
  const [replay, at] = [param("replay"), param("at")];
  const hasSettings = param("settings") !== "" && mayChange();
  return (
    <div class={replay === "" && !hasSettings ? "stack" : "sessions watching"}>
      <Recordings />
      {(replay !== "" || hasSettings) && (
        <div class="stack chosen">
          {replay !== "" && <Watching key={`${replay} ${at}`} replay={replay} at={at} />}
          {hasSettings && <RecordingSettings project={scope.value.project} />}
        </div>
      )}
    </div>
  );
}

const mayChange = (): boolean => shared === null && may("edit");

function Recordings() {
  const { project, period } = scope.value;
  const request = {
    method: "GET",
    path: "/replays",
    query: {
      project,
      since: period.from,
      sort: param("sort") || "started_at",
      limit: pageRows,
      ...queries.filtersText(scope.value),
      ...(param("with") && { with: param("with") }),
      ...(param("cursor") && { cursor: param("cursor") }),
    },
  } as const;
  const reading = useRead<ReplaysAnswer>("Recordings", request);
  const isRunning = reading.data?.replays.some(({ status }) => status === "recording") === true;
  useEffect(() => {
    if (!isRunning) return;
    const look = () => mayPoll() && prepare(request, lookEveryMs - 1_000);
    const timer = setInterval(look, lookEveryMs);
    return () => clearInterval(timer);
  }, [isRunning, JSON.stringify(request)]);
  return (
    <Card
      about="recordings"
      title="Recordings"
      wide
      tools={<Tools />}
      note="From the first day of the period until now. Filter by page, country and more above."
    >
      <SameVisitors page="replays" />
      <When reading={reading} rows={10}>
        {(answer) =>
          answer.replays.length === 0 && answer.next_cursor === null ? (
            <None />
          ) : (
            <List answer={answer} />
          )
        }
      </When>
    </Card>
  );
}

/** The sessions in which a script failed. */
const withError = { session_did: "$error" };
const errors = "errors";
const signals = [
  [errors, "With errors"],
  ["rage_clicks", "With rage clicks"],
  ["dead_clicks", "With dead clicks"],
  ["quick_backs", "With quick backs"],
] as const;

function Tools() {
  const hasError = filters.value.some((one) => isSame(one, withError));
  const choose = (word: string) => {
    const others = filters.value.filter((one) => !isSame(one, withError));
    const next = word === errors ? [...others, withError] : others;
    const sign = word === errors || word === "" ? null : word;
    set({ with: sign, cursor: null, filter: next.map(encode) });
  };
  return (
    <>
      <label class="inline">
        Only
        <select
          value={hasError ? errors : param("with")}
          onChange={(event) => choose(event.currentTarget.value)}
        >
          <option value="">All</option>
          {optionsOf(signals)}
        </select>
      </label>
      <label class="inline">
        Order
        <select
          value={param("sort") || "started_at"}
          onChange={(event) => {
            const sort = event.currentTarget.value;
            set({ sort: sort === "started_at" ? null : sort, cursor: null });
          }}
        >
          {optionsOf(sorts)}
        </select>
      </label>
      {mayChange() && (
        <button
          type="button"
          class="small"
          aria-expanded={param("settings") !== ""}
          onClick={() => set({ settings: param("settings") === "" ? "yes" : null })}
        >
          Settings
        </button>
      )}
    </>
  );
}

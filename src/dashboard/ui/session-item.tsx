import { Fragment } from "preact";
import type { Row } from "../data/answers";
import { type MoneyGoal, useMoneyGoal } from "../data/money-goal";
import type { SessionRow } from "../data/people-answers";
import type { Scope } from "../data/queries";
import { useSessionDetails } from "../data/session-details";
import { dayAndClock } from "../lib/dates";
import { countryName, duration } from "../lib/format";
import { money } from "../lib/money";
import { countOf } from "../lib/words";
import { maySee } from "../state/rights";
import { Said } from "./said";

const [source, country, device] = ["session.source", "session.country", "session.device"];

/** The fields and numbers that a list of sessions shows beside their own rows. */
export interface ListDetails {
  readonly rows: ReadonlyMap<string, Row>;
  /** False in a share that may not group by sessions: it shows only the rows of the list. */
  readonly areKnown: boolean;
  readonly goal: MoneyGoal | null;
}

/** Asks for the sources, countries, devices, pages and revenue of a list's sessions, in one request. */
export function useListDetails(
  scope: Pick<Scope, "project" | "period">,
  sessions: readonly SessionRow[],
): ListDetails {
  const goal = useMoneyGoal(scope.project);
  // The read waits for the goals, so that the page sends it once.
  const ids = goal === undefined ? [] : sessions.map(({ session_id: id }) => id);
  const rows = useSessionDetails(scope, ids, {
    fields: [source, country, device],
    metrics: ["page_views", ...(goal ? ["revenue"] : [])],
    goal: goal?.id,
  });
  return { rows, areKnown: maySee("session_id"), goal: goal ?? null };
}

interface SessionItemProps {
  readonly row: SessionRow;
  readonly details: ListDetails;
}

/** One session in a list: its time, pages, source and revenue. */
export function SessionItem({ row, details: { rows, areKnown, goal } }: SessionItemProps) {
  const detail = rows.get(row.session_id);
  const revenue = Number(detail?.revenue ?? 0);
  const from = [detail?.[source], placeOf(detail), detail?.[device]].filter((one) => one != null);
  return (
    <>
      <time>{dayAndClock(row.start_time)}</time>
      <b class="cut">
        {row.replay_count > 0 && (
          <span role="img" aria-label="Recorded" title="Recorded">
            ▶{" "}
          </span>
        )}
        <Said text={row.entry_page ?? "no page"} />
        {row.exit_page !== row.entry_page && (
          <>
            {" "}
            → <Said text={row.exit_page ?? ""} />
          </>
        )}
      </b>
      <small>
        {detail !== undefined
          ? countOf(Number(detail.page_views), "page")
          : !areKnown && countOf(row.event_count, "event")}
      </small>
      <small>{row.is_bounce === 1 ? "bounced" : duration(row.duration)}</small>
      <small class="cut">
        {from.map((text, i) => (
          <Fragment key={i}>
            {i > 0 && " · "}
            <Said text={String(text)} />
          </Fragment>
        ))}
      </small>
      <small class="money" title={revenue === 0 ? undefined : goal?.name}>
        {revenue !== 0 && money(revenue, goal?.currency ?? null)}
      </small>
    </>
  );
}

const placeOf = (detail: Row | undefined): string | null =>
  detail?.[country] == null ? null : countryName(String(detail[country]));

import type { SessionsAnswer } from "../../data/people-answers";
import { useRead } from "../../data/reads";
import { startedMeaning, startedSessions } from "../../lib/words";
import type { Filter } from "../../state/filters";
import { linkToFiltered } from "../../state/links";
import { linkTo } from "../../state/route";
import { scope } from "../../state/scope";
import { Card } from "../../ui/card";
import { SessionItem, useListDetails } from "../../ui/session-item";
import { When } from "../../ui/states";

const shownMax = 20;

/** The sessions of one visitor in the period, newest first. */
export function SessionsOf({ ids }: { readonly ids: readonly string[] }) {
  const { project, period } = scope.value;
  const filters: Filter[] = [{ field: "user_id", op: "in", value: ids }];
  const query = { project, since: period.from, until: period.to, limit: shownMax };
  const reading = useRead<SessionsAnswer>("The visitor's sessions", {
    method: "GET",
    path: "/sessions",
    query: { ...query, filters: JSON.stringify(filters) },
  });
  return (
    <Card about="sessionList" title={startedSessions} note={startedMeaning} wide>
      <When reading={reading} rows={4}>
        {(answer) => (
          <>
            <Rows answer={answer} />
            {answer.next_cursor !== null && (
              <a class="small" href={linkToFiltered("sessions", filters)}>
                All sessions of this visitor
              </a>
            )}
          </>
        )}
      </When>
    </Card>
  );
}

function Rows({ answer: { sessions } }: { readonly answer: SessionsAnswer }) {
  const details = useListDetails(scope.value, sessions);
  if (sessions.length === 0) return <p class="fine">No session started in this period.</p>;
  return (
    <ol class="stream">
      {sessions.map((row) => (
        <li key={row.session_id}>
          <a
            class="stream-row session-row"
            href={linkTo("sessions", scope.value.project, { session: row.session_id })}
          >
            <SessionItem row={row} details={details} />
          </a>
        </li>
      ))}
    </ol>
  );
}

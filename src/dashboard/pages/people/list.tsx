import type { QueryAnswer } from "../../data/answers";
import * as queries from "../../data/queries";
import { useRead } from "../../data/reads";
import { exact } from "../../lib/format";
import { linkToPerson } from "../../state/links";
import { scope } from "../../state/scope";
import { Card } from "../../ui/card";
import { Nothing } from "../../ui/nothing";
import { Said } from "../../ui/said";
import { Scroll } from "../../ui/scroll";
import { When } from "../../ui/states";

const shownMax = 200;

/** The people with the most events in the period. */
export function PeopleList() {
  const reading = useRead<QueryAnswer>("Visitors by events", queries.people(scope.value, shownMax));
  return (
    <Card
      about="identity"
      title="Visitors"
      wide
      note={`The ${shownMax} visitors with the most events.`}
    >
      <When reading={reading} rows={14}>
        {({ rows }) => <Rows rows={rows.filter(({ user_id }) => user_id !== null)} />}
      </When>
    </Card>
  );
}

function Rows({ rows }: { readonly rows: QueryAnswer["rows"] }) {
  if (rows.length === 0) return <Nothing>No visitors with a user_id in this period</Nothing>;
  return (
    <Scroll label="Table of visitors" csv="people">
      <table class="grid">
        <thead>
          <tr>
            <th scope="col">Visitor</th>
            <th scope="col" class="num">
              Events
            </th>
            <th scope="col" class="num">
              Sessions
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ user_id, event_count, session_count }) => (
            <tr key={String(user_id)}>
              <th scope="row">
                <a class="link" href={linkToPerson(String(user_id))}>
                  <Said text={String(user_id)} />
                </a>
              </th>
              <td class="num">{exact(Number(event_count))}</td>
              <td class="num">{exact(Number(session_count))}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

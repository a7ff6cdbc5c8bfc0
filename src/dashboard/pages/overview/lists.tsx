import type { QueryAnswer, Row } from "../../data/answers";
import { beforeIn, flatRows, type MaybeCompared } from "../../data/compared";
import * as queries from "../../data/queries";
import { useRead } from "../../data/reads";
import { dayMs } from "../../lib/dates";
import { exact } from "../../lib/format";
import { firstDay, locale } from "../../lib/locale";
import { zone } from "../../lib/zone";
import { scope } from "../../state/scope";
import { BarList } from "../../ui/bar-list";
import { Card } from "../../ui/card";
import { isHeld, toggle } from "../../ui/list-values";
import { Cut } from "../../ui/property-card";
import { When } from "../../ui/states";
import { Why } from "../../ui/why";
import { type Overview, termOf } from "./data";

/** The meaning of an event in the project's glossary stands beside its name. */
export function Events({ overview }: { readonly overview: Overview }) {
  const events = useRead<MaybeCompared>("Events", queries.events(scope.value));
  return (
    <Card about="event_count" title="Events" tools={overview.hasBefore && <Why />}>
      <When reading={events}>
        {(answer) => (
          <>
            <BarList
              head="Event"
              unit="Count"
              hasDelta={overview.hasBefore}
              choose={(event) => toggle({ session_did: event })}
              isChosen={(event) => isHeld({ session_did: event })}
              chooseTitle={(event) =>
                isHeld({ session_did: event }) ? "Remove filter" : `Only sessions with ${event}`
              }
              rows={flatRows(answer).map((row) => {
                const event = String(row.event);
                const term = termOf(overview.context, event);
                return {
                  ...{ key: event, label: event, value: Number(row.event_count) },
                  ...(term !== undefined && { hint: term }),
                  before: beforeIn(row, "event_count"),
                };
              })}
            />
            <Cut answer={answer} />
          </>
        )}
      </When>
    </Card>
  );
}

const eventsIn = (cell: Row | undefined): number => Number(cell?.event_count ?? 0);
const countsOf = (cell: Row | undefined): string =>
  `${exact(eventsIn(cell))} events, ${exact(Number(cell?.unique_users ?? 0))} visitors`;

const weekdayName = new Intl.DateTimeFormat(locale, { timeZone: "UTC", weekday: "short" });
/** The days of the reader's week, by the API's numbers: 0 is Sunday. */
const weekdays = Array.from({ length: 7 }, (_, i) => (firstDay + i) % 7);
/** 4 January 1970 was a Sunday. */
const nameOfWeekday = (day: number): string => weekdayName.format((3 + day) * dayMs);

/** When people come: weekdays down, hours across, of the project's time zone. */
export function Hours() {
  const reading = useRead<QueryAnswer>("Weekdays and hours", queries.heatmap(scope.value));
  return (
    <Card about="heatmap" title="Weekdays and hours" note={`Events by hour in ${zone.value}.`}>
      <When reading={reading}>
        {({ rows }) => {
          const cells = new Map(rows.map((row) => [`${row.weekday} ${row.hour_of_day}`, row]));
          const max = Math.max(...rows.map(eventsIn), 1);
          return (
            <table class="hours">
              <caption class="visually-hidden">Events by weekday and hour</caption>
              <thead>
                <tr>
                  <td />
                  {Array.from({ length: 24 }, (_, hour) => (
                    <th key={hour} scope="col">
                      {hour % 3 === 0 ? hour : <span class="visually-hidden">{hour}</span>}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {weekdays.map((day) => (
                  <tr key={day}>
                    <th scope="row">{nameOfWeekday(day)}</th>
                    {Array.from({ length: 24 }, (_, hour) => {
                      const cell = cells.get(`${day} ${hour}`);
                      const level =
                        cell === undefined ? 0 : Math.max(1, Math.ceil((eventsIn(cell) / max) * 8));
                      return (
                        <td
                          key={hour}
                          data-level={level}
                          title={`${nameOfWeekday(day)} ${hour}:00: ${countsOf(cell)}`}
                        >
                          <span class="visually-hidden">{eventsIn(cell)}</span>
                        </td>
                      );
                    })}
                  </tr>
                ))}
              </tbody>
            </table>
          );
        }}
      </When>
    </Card>
  );
}

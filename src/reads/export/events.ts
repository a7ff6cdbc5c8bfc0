/*
 * An exported event has its own id alone.
 * Decision: an exported event has its own id, and not the `event_id` that its sender gave it.
 * Because: the store keeps hashes of sent ids for 48 hours, to recognise what is sent twice. The ids of the tracker and
 * of other clients are random, and do not compress: to keep them takes 17 bytes an event and more (measured: 17.3 as 22
 * characters, 19.3 as a UUID), where an event with 15 properties takes 20.8 in all. The own id is stored already, never
 * changes and is as unique. It is the one after which an export goes on, and by which an import of the file recognises
 * what it brought before.
 * Cost: what is sent again by its first sender, after it came in by an import, is stored as another event. For that it
 * must be sent within 30 days after it happened, and the import drops what is as young as the project's own events.
 * Revisit: if a program must match exported events with its own records. It can send its id as a property today.
 */

import { isoDate } from "../../domain/event";
import { EventRow } from "../../domain/fields";
import { timeZoneOf } from "../../domain/time-zone";
import type { ExportedEvent, ExportSource } from "../../store/exports";
import type { View } from "../../store/questions";
import { JsonText, type Row, type Table } from "./table";

const columns = Object.keys(EventRow.properties);

/** The events of a view after an id: the rows that GET /events answers, in the order of their ids. */
export function eventsTable(source: ExportSource, view: View, after: string | null): Table {
  const zone = timeZoneOf(view.zone);
  const rowOf = ({ id, timeMs, name, ...event }: ExportedEvent): Row => {
    const row: Readonly<Record<string, Row[number]>> & Record<keyof EventRow, Row[number]> = {
      id,
      project_id: view.projectId,
      event: name,
      properties: event.properties === null ? null : new JsonText(event.properties),
      user_id: event.userId,
      session_id: event.sessionId,
      timestamp: timeMs,
      date: isoDate(zone.dayAt(timeMs)),
      country: event.country,
    };
    return columns.map((column) => row[column]);
  };
  return {
    kind: "event",
    columns,
    async *rows() {
      for await (const piece of source.events(view, after)) yield piece.map(rowOf);
    },
  };
}

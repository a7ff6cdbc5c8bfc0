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

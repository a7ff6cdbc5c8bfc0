import { eventIdFault, fittingId } from "../../foreign/event-id";
import { objectIn, textIn, without } from "../../foreign/json";
import { countryOf } from "../../foreign/names";
import type { JsonObject } from "../../properties";
import { acceptedRow } from "../event-row";
import type { Importer, ReadOptions, RowContent } from "../importer";
import { listRows, listsIn } from "../list";
import { tableRows, tablesIn, unreadable } from "../table";
import { timeIn } from "../times";

/** Events in our own form, as JSON objects: fields of /track, in which other fields are properties. */
export const eventList: Importer = {
  kind: "events",
  becomes: "events",
  recognizes: ({ head }) => head.format === "json" && head.records.some(isEvent),
  async *read(file, options) {
    for (const entry of listsIn(file)) yield* listRows(entry, (object) => rowOf(object, options));
  },
};

/** The same as a table. */
export const eventTable: Importer = {
  kind: "events",
  becomes: "events",
  recognizes: ({ head }) =>
    head.format === "csv" && ["event", "timestamp"].every((name) => head.columns.includes(name)),
  async *read(file, options) {
    for (const entry of tablesIn(file)) {
      yield* tableRows(entry, (columns) => {
        const objectOf = columns.all();
        return (cells) => rowOf(objectOf(cells), options);
      });
    }
  },
};

const isEvent = (record: JsonObject): boolean =>
  typeof record.event === "string" && "timestamp" in record && !("distinct_id" in record);

const fields: ReadonlySet<string> = new Set([
  ...["event", "timestamp", "user_id", "session_id", "event_id", "country", "properties"],
]);

function rowOf(object: JsonObject, { timeZone, nowMs }: ReadOptions): RowContent {
  const { event, user_id, session_id, event_id, country, properties, timestamp } = object;
  const texts = [event, user_id, session_id, event_id];
  const own = propertiesOf(properties, without(object, fields));
  // As in /track: a number is no id, as two that differ may be one once they were printed.
  if (own === null || !texts.every(isTextOrNull)) return unreadable;
  const eventId = textIn(event_id);
  const fault = eventIdFault(eventId);
  if (fault !== null) return { kind: "refused", code: fault.code };
  return acceptedRow(
    {
      ...{ event: textIn(event), user_id: textIn(user_id), session_id: textIn(session_id) },
      properties: Object.keys(own).length === 0 ? null : own,
      timestamp: timeOf(timestamp, timeZone),
      event_id: eventId === null ? null : fittingId(eventId),
    },
    countryOf(textIn(country)),
    nowMs,
  );
}

const isTextOrNull = (value: unknown): boolean =>
  value === undefined || value === null || typeof value === "string";

/** The properties with the fields that have no other meaning; null where they are no object. */
function propertiesOf(sent: unknown, others: JsonObject): JsonObject | null {
  if (sent === undefined || sent === null || sent === "") return others;
  const own = objectIn(sent);
  return own === null ? null : { ...others, ...own };
}

/** Unix ms as a number or its digits, or an ISO time. */
function timeOf(said: unknown, timeZone: string): number {
  if (typeof said === "number") return said;
  if (typeof said !== "string") return Number.NaN;
  return /^\d{1,16}$/.test(said) ? Number(said) : timeIn(said, timeZone);
}

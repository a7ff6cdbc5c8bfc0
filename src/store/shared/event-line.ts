import { stringEnd, valueEnd } from "./json-text";

/*
 * Rows are text.
 * Decision: the thread that takes a request writes each event as one line of JSON; the writer joins lines, the
 * compactor cuts values out of them; no object is made after the request.
 * Because: parsing was a third of the writer's and half of the compactor's time, and objects with ever new keys are
 * never forgotten by the engine.
 * Cost: a walker over JSON text of our own (70 lines), which rests on JSON.stringify having written it.
 * Revisit: if events come in another form.
 */

/** Lines never hold a line feed: JSON escapes it. */
export const rowSeparator = ",\n";

/** `properties` is JSON already, as JSON.stringify writes it. */
export function rowLine(
  timeMs: number,
  name: string,
  sessionId: string | null,
  country: string | null,
  properties: string | null,
): string {
  return `[${timeMs},${JSON.stringify(name)},${JSON.stringify(sessionId)},${JSON.stringify(country)},${properties}]`;
}

/** A line begins with the time of its event. */
export const timeOfLine = (line: string): number => Number(line.slice(1, line.indexOf(",")));

/**
 * Returns the fields by which a repeat of an event id is told, as the sender sent them: a session that the server chose
 * is none, as the same event may be given another one when it comes again. Equal values have equal texts.
 */
export function sentFieldsOf(line: string, userId: string | null, choosesSession: boolean): string {
  const nameAt = line.indexOf(",") + 1;
  const nameEnd = stringEnd(line, nameAt);
  const nameAndSession = choosesSession
    ? `${line.slice(nameAt, nameEnd)},null`
    : line.slice(nameAt, valueEnd(line, nameEnd + 1));
  return `${nameAndSession},${JSON.stringify(userId)}`;
}

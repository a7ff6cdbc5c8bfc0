import { type ModelEvent, type ModelSession, sessionOf } from "./model";
import { sessionFieldOf } from "./session-fields";
import { byCodePoints, date, grouped } from "./values";

/** The earliest session of each user. */
export const firstSessions = (
  sessions: readonly ModelSession[],
): ReadonlyMap<string | null, ModelSession> =>
  new Map(
    grouped(sessions, ({ user }) => user).map(([user, all]) => [
      user,
      all.toSorted((a, b) => a.startMs - b.startMs || byCodePoints(a.id, b.id))[0],
    ]),
  );

/** A field of the event's user, or whether its session is the first one of the user (definitions.md, Sessions). */
export function visitorFieldOf(event: ModelEvent, field: string, zone?: string): string | null {
  if (field === "session.visitor") {
    const events = event.beside();
    if (event.session === null) return null;
    const { user } = sessionOf(event.session, events);
    if (user === null) return null;
    return event.firstOf(user)?.id === event.session ? "new" : "returning";
  }
  const first = event.user === null ? null : event.firstOf(event.user);
  if (first === null) return null;
  return field === "user.first_date"
    ? date(first.startMs, zone)
    : sessionFieldOf(first.events, field.replace("user.first_", "session."));
}

import type { ObjectEvent } from "../../../src/domain/event";
import { clockAt } from "../../model/clocks";
import type { Random } from "../random/random";
import { randomExposure, randomProperties } from "../random/random-properties";
import { type Cast, dayMs } from "./cast";

/** The number of dates on which events happen, and how long before the last one most of them happen. */
interface Dates {
  readonly count: number;
  readonly busiest: number;
}

/** Events of a session lie close together, mostly; days are unequal; some are late; many share a millisecond. */
export function eventMaker(random: Random, cast: Cast, dates: Dates): () => ObjectEvent {
  const { users, sessions, names, keys, today, zone } = cast;
  const { below, chance, pick } = random;
  const endMs = (today + 1) * dayMs;
  // Without strays, segments of different days share few sessions or none.
  const strays = pick([0, 0, 0.1]);
  const homes = new Map(
    sessions.map((session) => [
      session,
      today * dayMs - below(dates.count - 1) * dayMs - below(dayMs),
    ]),
  );
  const hotDayMs = (today - dates.busiest) * dayMs;
  const timeMs = (session: string | null): number => {
    const home = session !== null && !chance(strays) ? homes.get(session) : undefined;
    if (home !== undefined) return home + below(chance(strays) ? 5 * dayMs : 40 * 60_000);
    return chance(0.4) ? hotDayMs + below(dayMs) : endMs - 1 - below(dates.count * dayMs);
  };
  const sent = new Map<string, ObjectEvent>();
  const alike = alikeFields(random);
  const visits = new Map<string, ObjectEvent>();
  return () => {
    const made = likeVisit(makeEvent());
    const { eventId } = made;
    const before = eventId === null ? undefined : sent.get(eventId);
    if (before === undefined) {
      if (eventId !== null) sent.set(eventId, made);
      return made;
    }
    // Half of them are sent again; the others only have the id in common, and perhaps more.
    return before.timeMs % 2 === 0 ? before : made;
  };

  function likeVisit(event: ObjectEvent): ObjectEvent {
    const visit = JSON.stringify([event.userId, event.sessionId]);
    const first = visits.get(visit) ?? event;
    visits.set(visit, first);
    return { ...event, ...Object.fromEntries(alike.map((field) => [field, first[field]])) };
  }
  function makeEvent(): ObjectEvent {
    const sessionId = chance(0.75) ? pick(sessions) : null;
    const anyTime = timeMs(sessionId);
    // The first and the last millisecond of a day are where windows end.
    const exact = chance(0.05) ? startOfDate(anyTime, zone) - below(2) : anyTime;
    const tied = chance(0.3) ? Math.floor(exact / 60_000) * 60_000 : exact;
    const isExposure = chance(0.15);
    return {
      name: isExposure ? "$experiment_exposure" : pick(names),
      timeMs: Math.min(tied, endMs - 1),
      userId: chance(0.8) ? pick(users) : null,
      sessionId,
      country: pick(["DE", "US", null, "FR"]),
      properties: chance(0.08)
        ? null
        : isExposure
          ? randomExposure(random)
          : randomProperties(random, keys),
      eventId: chance(0.3) ? `id${below(500)}` : null,
    };
  }
}

/** The fields that all events of a visit share in a history: segments store such columns in another form. */
const alikeFields = ({ chance }: Random) =>
  (["name", "country", "properties"] as const).filter(() => chance(0.15));

/** When clocks showed 00:00, if they were not changed since. */
const startOfDate = (timeMs: number, zone: string | undefined): number =>
  timeMs - (((clockAt(timeMs, zone) % dayMs) + dayMs) % dayMs);

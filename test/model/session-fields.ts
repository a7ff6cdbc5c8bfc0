import { type ModelEvent, own, pageOf, textOf } from "./model";
import { channelOf, isOwn, referrerHost, siteOf, sourceName } from "./sources";

/** A field of a session, of all its events in order of time (definitions.md, Sessions). Null without events. */
export function sessionFieldOf(events: readonly ModelEvent[], field: string): string | null {
  if (events.length === 0) return null;
  switch (field) {
    case "session.entry_page":
      return firstOf(events, pageOf);
    case "session.exit_page":
      return firstOf(events.toReversed(), pageOf);
    case "session.country":
      return firstOf(events, ({ country }) => country);
    case "session.referrer":
      return referrerOf(events);
    case "session.source": {
      const host = referrerOf(events);
      const source = sourceName(textIn(events, "utm_source") ?? "");
      return source ?? (host && (siteOf(host)?.name ?? sourceName(host))) ?? "Direct";
    }
    case "session.channel":
      return channelOf({
        source: textIn(events, "utm_source"),
        medium: textIn(events, "utm_medium"),
        referrer: referrerOf(events),
      });
    default:
      return textIn(events, field.slice("session.".length));
  }
}

function firstOf(
  events: readonly ModelEvent[],
  of: (event: ModelEvent) => string | null,
): string | null {
  for (const event of events) {
    const value = of(event);
    if (value !== null && value !== "") return value;
  }
  return null;
}

const textIn = (events: readonly ModelEvent[], key: string): string | null =>
  firstOf(events, (event) => textOf(own(event, key)));

const referrerOf = (events: readonly ModelEvent[]): string | null =>
  firstOf(events, (event) => {
    const host = referrerHost(own(event, "referrer"));
    return host === null || isOwn(host) ? null : host;
  });

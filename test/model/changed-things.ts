import type { ChangesQuestion } from "./changes";
import { FilteredModel } from "./filtered";
import { eventsOfGoal } from "./goals";
import { type Model, type ModelDays, type ModelEvent, own, pageOf, textOf } from "./model";
import { sessionFieldOf } from "./session-fields";

/** An event, or a session. */
export interface Thing {
  readonly timeMs: number;
  readonly user: string | null;
  readonly isGoal: boolean;
  valueOf(dimension: string): string | null;
}

export function thingsOf(
  whole: Model,
  { metric, goal, filters }: Pick<ChangesQuestion, "metric" | "goal" | "filters">,
  all: ModelDays,
): readonly Thing[] {
  const model = filters.length === 0 ? whole : new FilteredModel(whole, filters, all);
  const reached = goal && eventsOfGoal(whole, goal, () => [], all.zone);
  const isCounted = (event: ModelEvent): boolean =>
    reached === null || metric === "conversion" || reached.has(event);
  if (metric === "events" || metric === "users") {
    return model
      .events(all)
      .filter(isCounted)
      .filter(({ user }) => metric === "events" || user !== null)
      .map((one) => ({
        ...{ timeMs: one.timeMs, user: one.user, isGoal: false },
        valueOf: (dimension) => valueOfEvent(one, dimension),
      }));
  }
  const seen = new Set(model.events(all).filter(isCounted));
  const counted = model.sessions(all).filter(({ events }) => events.some((one) => seen.has(one)));
  const isAll = filters.length === 0 && (reached === null || metric === "conversion");
  return (isAll ? model.sessions(all) : counted).map(({ startMs, events, user }) => ({
    ...{ timeMs: startMs, user, isGoal: events.some((one) => reached?.has(one)) },
    valueOf: (dimension) => valueOfSession(events, dimension),
  }));
}

function valueOfEvent(event: ModelEvent, dimension: string): string | null {
  const text = (key: string): string | null => textOf(own(event, key)) || null;
  switch (dimension) {
    case "event":
      return event.name;
    case "country":
      return event.country;
    case "page":
      return pageOf(event);
    case "source":
      return sessionFieldOf(event.beside(), "session.source");
    case "version":
      return text("version") ?? text("release") ?? text("app_version");
    default:
      return textOf(own(event, dimension.replace("properties.", "")));
  }
}

/** Returns the value of the earliest event that has one. */
function valueOfSession(events: readonly ModelEvent[], dimension: string): string | null {
  const first = (of: (event: ModelEvent) => string | null): string | null => {
    for (const event of events) {
      const value = of(event);
      if (value !== null && value !== "") return value;
    }
    return null;
  };
  if (dimension === "source") return sessionFieldOf(events, "session.source");
  return first((event) => valueOfEvent(event, dimension));
}

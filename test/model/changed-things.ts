import type { ChangesQuestion } from "./changes";
import { FilteredModel, type ModelItem } from "./filtered";
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
  { metric, event, filters }: Pick<ChangesQuestion, "metric" | "event" | "filters">,
  all: ModelDays,
): readonly Thing[] {
  const named = { field: "event", op: "eq", value: event ?? "" } as const;
  const isLimited = event !== null && metric !== "conversion";
  const items: readonly ModelItem[] = isLimited ? [...filters, named] : filters;
  const model = items.length === 0 ? whole : new FilteredModel(whole, items, all);
  if (metric === "events" || metric === "users") {
    return model
      .events(all)
      .filter(({ user }) => metric === "events" || user !== null)
      .map((one) => ({
        ...{ timeMs: one.timeMs, user: one.user, isGoal: false },
        valueOf: (dimension) => valueOfEvent(one, dimension),
      }));
  }
  return model.sessions(all).map(({ startMs, events, user }) => ({
    ...{ timeMs: startMs, user, isGoal: events.some(({ name }) => name === event) },
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

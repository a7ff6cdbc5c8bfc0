import { isMatch, oncePerValue } from "./goal-events";
import type { ModelGoal } from "./goals";
import {
  inTime,
  Model,
  type ModelCondition,
  type ModelDays,
  type ModelEvent,
  passes,
} from "./model";
import { dayMs, grouped } from "./values";
import { firstSessions } from "./visitor-fields";

/** Filters of a read, as the product has them once they are checked. */
export type ModelItem = ModelSimple | { readonly any: readonly ModelSimple[] };
type ModelSimple =
  | ModelCondition
  | {
      readonly did: string;
      /** The goal in place of the event. */
      readonly goal?: { readonly definition: ModelGoal };
      readonly isNegated: boolean;
      /** Events of its session are looked at, not those of its user. */
      readonly of?: "session";
      readonly filters: readonly ModelCondition[];
      readonly since?: string;
    };

/** The events among which a person's are looked for: those of the read, or from another first date on. */
export type EventsSince = (since?: string) => readonly ModelEvent[];

const since = (text: string, last: number): number => {
  const ago = /^(\d+)d$/.exec(text)?.[1];
  return ago === undefined ? Date.parse(text) / dayMs : last - Number(ago);
};

/** A model as a filtered read sees it: fewer events, fewer sessions, each of them judged on all its events. */
export class FilteredModel extends Model {
  constructor(
    private readonly whole: Model,
    private readonly items: readonly ModelItem[],
    private readonly days: ModelDays,
  ) {
    super();
  }

  override all() {
    const { to, zone } = this.days;
    const from = (first: string): ModelDays => ({ from: since(first, to), to: 1e6, zone });
    const people: EventsSince = (first) =>
      first === undefined ? this.whole.all() : this.whole.events(from(first));
    return this.matching(this.whole.all(), people);
  }
  override events(days: ModelDays) {
    return this.matching(this.whole.events(days), windowOf(this.whole, days));
  }
  override everything() {
    return this.whole.everything();
  }
  unfiltered(days: ModelDays) {
    return this.whole.events(days);
  }
  private matching(events: readonly ModelEvent[], people: EventsSince) {
    const { zone } = this.days;
    return events.filter((event) => this.items.every((item) => holds(item, event, people, zone)));
  }
  override sessions(days: ModelDays) {
    const events = new Set(this.events(days));
    return this.whole.sessions(days).filter((one) => one.events.some((event) => events.has(event)));
  }
  override allSessions() {
    return this.whole.allSessions();
  }
  override visits() {
    const events = new Set(this.all());
    return this.allSessions().filter((one) => one.events.some((event) => events.has(event)));
  }
  override behind(userId: string) {
    return this.whole.behind(userId);
  }
}

/** The model of a store in which there are only the events that pass. */
class NarrowedModel extends Model {
  private readonly seen: readonly ModelEvent[];

  constructor(
    private readonly whole: Model,
    passing: (event: ModelEvent) => boolean,
  ) {
    super();
    const events = whole
      .all()
      .filter(passing)
      .map((event) => ({ ...event }));
    const besides = new Map(grouped(events, ({ session }) => session));
    const besideOf = ({ session }: ModelEvent): readonly ModelEvent[] =>
      session === null ? [] : (besides.get(session) ?? []).toSorted(inTime);
    const firsts = once(() => firstSessions(this.allSessions()));
    const firstOf = (user: string) => firsts().get(user) ?? null;
    this.seen = events.map((event) =>
      Object.assign(event, { among: () => this.seen, beside: () => besideOf(event), firstOf }),
    );
  }
  override all() {
    return this.seen;
  }
  override get retainedFrom() {
    return this.whole.retainedFrom;
  }
  override behind(userId: string) {
    return this.whole.behind(userId);
  }
}

function once<Value>(make: () => Value): () => Value {
  let made: Value | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** What a share with filters sees: those about sessions and people are judged on what the others leave. */
export function narrowedModel(whole: Model, items: readonly ModelItem[]): Model {
  const isOfEvent = (item: ModelItem): boolean =>
    "any" in item
      ? item.any.every(isOfEvent)
      : !("did" in item) && !/^(session|user)\./.test(item.field);
  const ofEvents = new NarrowedModel(whole, (event) =>
    items.filter(isOfEvent).every((item) => holds(item, event, () => [])),
  );
  const people: EventsSince = (first) =>
    ofEvents.all().filter(({ timeMs }) => first === undefined || timeMs >= Date.parse(first));
  return new NarrowedModel(ofEvents, (event) => items.every((item) => holds(item, event, people)));
}

/** The events of some dates, whatever the read is filtered by. */
export const windowOf =
  (model: Model, days: ModelDays): EventsSince =>
  (first) => {
    const own = first === undefined ? days : { ...days, from: since(first, days.to) };
    return model instanceof FilteredModel ? model.unfiltered(own) : model.events(own);
  };

export function holds(
  item: ModelItem,
  event: ModelEvent,
  people: EventsSince,
  zone?: string,
): boolean {
  if ("any" in item) return item.any.some((one) => holds(one, event, people, zone));
  if (!("did" in item)) return passes(event, item, zone);
  const { did, goal } = item;
  const isNamed =
    goal === undefined
      ? ({ name }: ModelEvent): boolean => name === did
      : ofGoal(goal.definition, event.among(), zone);
  const isOne = (other: ModelEvent): boolean =>
    isNamed(other) && item.filters.every((one) => passes(other, one, zone));
  const has =
    item.of === "session"
      ? event.beside().some(isOne)
      : people(item.since).some(
          (other) => event.user !== null && other.user === event.user && isOne(other),
        );
  return has !== item.isNegated;
}

/** Tells whether one of these events is of a goal, whose filters are on the event's own fields. */
function ofGoal(
  { filters, oncePer, ...match }: ModelGoal,
  stored: readonly ModelEvent[],
  zone?: string,
): (event: ModelEvent) => boolean {
  const isDescribed = (one: ModelEvent): boolean =>
    isMatch(one, match) && filters.every((filter) => holds(filter, one, () => [], zone));
  if (oncePer === undefined) return isDescribed;
  const known = earliestOf.get(stored) ?? new Map<string, ReadonlySet<ModelEvent>>();
  earliestOf.set(stored, known);
  const goal = JSON.stringify([filters, oncePer, match, zone]);
  const earliest = known.get(goal) ?? new Set(oncePerValue(stored.filter(isDescribed), oncePer));
  known.set(goal, earliest);
  return (event) => earliest.has(event);
}
/** By the events that are stored, and by the goal. */
const earliestOf = new WeakMap<readonly ModelEvent[], Map<string, ReadonlySet<ModelEvent>>>();

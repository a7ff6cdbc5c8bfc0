import { Model, type ModelCondition, type ModelDays, type ModelEvent, passes } from "./model";

/** Filters of a read, as the product has them once they are checked. */
export type ModelItem = ModelSimple | { readonly any: readonly ModelSimple[] };
type ModelSimple =
  | ModelCondition
  | {
      readonly did: string;
      readonly isNegated: boolean;
      readonly filters: readonly ModelCondition[];
    };

/** A model as a filtered read sees it: fewer events, fewer sessions, each of them judged on all its events. */
export class FilteredModel extends Model {
  constructor(
    private readonly whole: Model,
    private readonly items: readonly ModelItem[],
    private readonly zone?: string,
  ) {
    super();
  }

  override all() {
    return matching(this.whole.all(), this.items, this.zone);
  }
  override events(days: ModelDays) {
    return matching(this.whole.events(days), this.items, this.zone);
  }
  unfiltered(days: ModelDays) {
    return this.whole.events(days);
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
  /** The first event that matches. */
  override appearances(): [string | null, number][] {
    return this.all().map(({ user, timeMs }) => [user, timeMs]);
  }
  override behind(userId: string) {
    return this.whole.behind(userId);
  }
}

/** The events of some dates, whatever the read is filtered by. */
export const windowOf = (model: Model, days: ModelDays): readonly ModelEvent[] =>
  model instanceof FilteredModel ? model.unfiltered(days) : model.events(days);

function matching(window: readonly ModelEvent[], items: readonly ModelItem[], zone?: string) {
  return window.filter((event) => items.every((item) => holds(item, event, window, zone)));
}

export function holds(
  item: ModelItem,
  event: ModelEvent,
  window: readonly ModelEvent[],
  zone?: string,
): boolean {
  if ("any" in item) return item.any.some((one) => holds(one, event, window, zone));
  if (!("did" in item)) return passes(event, item, zone);
  const has = window.some(
    (other) =>
      event.user !== null &&
      other.user === event.user &&
      other.name === item.did &&
      item.filters.every((one) => passes(other, one, zone)),
  );
  return has !== item.isNegated;
}

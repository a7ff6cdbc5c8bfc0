import type { FilterItem } from "../../../domain/filter-items";
import type { BucketUnit } from "../../../domain/period";
import type { View } from "../../questions";
import type { OpenSnapshot } from "../questions/open-snapshot";
import { decline, type Helpers, requestTo, unlessCancelled } from "./helpers";
import { filtersWithin, partedEventsMin } from "./part-filters";
import { type PartInput, type PartName, type PartResult, type Parts, partsOf } from "./parts";
import { type PartWindow, windowsOf } from "./windows";

/** The parts of what a read asks: the newest one is answered by its own thread, the others by its helpers. */
export class AskedParts {
  private readonly parts: Parts;

  constructor(
    readonly snapshot: OpenSnapshot,
    private readonly helpers: Helpers,
  ) {
    this.parts = partsOf(snapshot);
  }

  /** Cuts a view's window, at the beginnings of a unit. Null for a question that is not worth its parts. */
  cut(
    view: View,
    unit: BucketUnit = "day",
    more: readonly FilterItem[] = [],
    judgesSessions = false,
  ): readonly PartWindow[] | null {
    const { snapshot, helpers } = this;
    const { tuning } = snapshot.context;
    const eventsMin = partedEventsMin(tuning, helpers.count, view, more, judgesSessions);
    return windowsOf(snapshot, view, helpers.count + 1, unit, eventsMin);
  }

  /** Returns the results of the parts, in order of time; with a null among them where one cannot be told. */
  async each<Name extends PartName>(
    name: Name,
    view: View,
    windows: readonly PartWindow[],
    askedOf: (part: View, window: PartWindow) => PartInput<Name>,
  ): Promise<PartResult<Name>[]> {
    const { snapshot, helpers, parts } = this;
    const { projectId } = view;
    const here = (asked: PartInput<Name>): PartResult<Name> => {
      const answer = parts[name] as (...asked: PartInput<Name>) => PartResult<Name>;
      return answer(...asked);
    };
    const all = windows.map((window) => {
      const { fromMs, toMs } = window;
      const filters = filtersWithin(view.filters, window);
      return askedOf({ ...view, fromMs, toMs, filters }, window);
    });
    const others = all.slice(0, -1).map((asked, helper) => ({
      asked,
      found: helpers.ask(helper, requestTo(snapshot, projectId, name, asked)),
    }));
    try {
      const newest = all.slice(-1).map(here);
      // It has too many groups to be told: what the others find is of no use.
      if (newest.includes(null as PartResult<Name>)) return newest;
      const found: PartResult<Name>[] = [];
      for (const one of others) {
        found.push((await unlessCancelled(one.found, snapshot.context.check)) ?? here(one.asked));
      }
      return [...found, ...newest];
    } finally {
      snapshot.context.endQuestion();
    }
  }

  /** Counts what has few groups, which the key tells: null for what had too many before, and for what has them now. */
  async unlessMany<Answer>(
    key: string,
    count: () => Promise<Answer | null>,
  ): Promise<Answer | null> {
    if (this.helpers.declined.has(key)) return null;
    const found = await count();
    if (found === null) decline(this.helpers, key);
    return found;
  }
}

/** The answers, none of which is missing; null where one is. */
export function allTold<Told>(found: readonly (Told | null)[]): readonly Told[] | null {
  const told = found.filter((one) => one !== null);
  return told.length < found.length ? null : told;
}

import type { FunnelLinks } from "../../charts/funnel-chart";
import { type Did, type Filter, filtersMax } from "../../state/filters";
import { linkToFiltered } from "../../state/links";
import { mayOpen } from "../../state/rights";
import { filters, param } from "../../state/route";
import type { Step } from "./steps";

/**
 * Returns the links to the visitors or sessions of a step; null if the reader may not see single ones. Filters cannot
 * express the order of events: the linked lists also have visitors who did the steps in another order.
 */
export function linksOf(steps: readonly Step[], at: number): FunnelLinks | null {
  const isOfSessions = param("by") === "session_id";
  const page = isOfSessions ? "sessions" : "people";
  const last = steps[at];
  if (last === undefined || !mayOpen(page) || filters.value.length + at >= filtersMax) return null;
  const has = isOfSessions ? "session_did" : "did";
  const before = steps.slice(0, at).map((step) => didOf(has, step));
  const to = (step: Did): string =>
    linkToFiltered(page, withoutRepeats([...filters.value, ...before, step]));
  return { reached: to(didOf(has, last)), dropped: to(didOf(`${has}_not`, last)) };
}

const didOf = (word: string, { event, filters: conditions }: Step): Did => ({
  [word]: event,
  ...(conditions.length > 0 && { filters: conditions }),
});

/** A step may occur twice in a funnel, and a filter once. */
const withoutRepeats = (all: readonly Filter[]): readonly Filter[] => {
  const texts = new Set<string>();
  return all.filter((one) => {
    const text = JSON.stringify(one);
    return !texts.has(text) && texts.add(text);
  });
};

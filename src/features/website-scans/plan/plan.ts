/*
 * The minimum of a full plan.
 * Decision: where a full scan finds less than five, what is always useful comes first, then the table from its top.
 * Because: a full plan has at least five, of which three need no sign on a page.
 * Cost: a bare site is told of sign-ups that it may never have.
 */

import { assert } from "../../../lib/assert";
import type { Page, Part } from "../reading/page";
import { detectAnalytics } from "../reading/providers";
import type { ScanResult } from "../schema";
import { type Advice, adviceOf } from "./advice";
import { businessEventsFor, funnelsFor, laterFor, testsFor } from "./further";
import { hintFor } from "./hints";
import type { Hit } from "./matchers";
import { type Signal, signals } from "./signals";

/** The number of recommendations of a plan. */
const sizes = {
  preview: { min: 3, max: 5 },
  full: { min: 5, max: 8 },
} as const;
export type PlanSize = keyof typeof sizes;

const questionsMax = 5;
const blindspotsMax = 6;
const notNeededMax = 4;
/** They fit every site, so they are given where a plan would be too short. */
const alwaysUseful = ["primary_cta_clicked", "value_section_seen", "secondary_cta_clicked"];

interface Choice {
  readonly signal: Signal;
  readonly advice: Advice;
  /** The place where it was seen; null for what was not seen and is given all the same. */
  readonly hit: Hit | null;
}

/** The plan for a site, from its pages alone: the start page first, the others in the order in which they were read. */
export function planOf(start: URL, pages: readonly Page[], size: PlanSize): ScanResult {
  const seen = seenOn(pages);
  const chosen = chosenOf(seen, sizes[size]);
  const events = new Set(chosen.map(({ signal }) => signal.event));
  const analytics = detectAnalytics(pages);
  return {
    framing: "fastest_path_to_useful_analytics",
    normalized_url: start.href,
    hostname: start.hostname,
    growth_questions: chosen.map(({ advice }) => advice.question).slice(0, questionsMax),
    current_blindspots: blindspotsOf(pages, chosen, analytics),
    minimum_viable_instrumentation: chosen.map(recommendationOf),
    not_needed_yet: notNeeded(seen, events),
    goal_driven_funnels: funnelsFor(events),
    after_install_agent_behavior: [
      "Call GET /properties until it lists each event of this plan; fix events that do not arrive.",
      "After a week, call GET /breakdown for each event with property utm_source and path, and report what " +
        "stands out.",
      "Save the goals of this plan with PUT /project-context, so later reads include them.",
    ],
    business_events_later: businessEventsFor(events),
    advanced_tracking_later: laterFor(events),
    suggested_ab_tests: testsFor(events),
    analytics_detected: analytics,
  };
}

interface Seen {
  readonly signal: Signal;
  readonly hit: Hit | null;
}

/** An element carries one event, so what an earlier signal is on is taken for the later ones. */
function seenOn(pages: readonly Page[]): readonly Seen[] {
  const taken = new Set<Part>();
  const seen: Seen[] = [];
  for (const signal of signals) {
    const hit = signal.find(pages, taken);
    if (hit?.part != null && signal.means !== "server") taken.add(hit.part);
    seen.push({ signal, hit });
  }
  return seen;
}

/**
 * Chooses what was seen, in the order of the table; then what is always useful, then the rest of the table, to the
 * minimum.
 */
function chosenOf(
  seen: readonly Seen[],
  { min, max }: { readonly min: number; readonly max: number },
): readonly Choice[] {
  const found = seen.filter(({ hit }) => hit !== null).slice(0, max);
  const isUseful = ({ signal }: Seen): boolean => alwaysUseful.includes(signal.event);
  const missing = seen.filter(({ hit }) => hit === null);
  const spare = [...missing.filter(isUseful), ...missing.filter((one) => !isUseful(one))];
  const all = [...found, ...spare.slice(0, Math.max(0, min - found.length))];
  return all.map(({ signal, hit }) => ({ signal, hit, advice: adviceFor(signal.event) }));
}

const recommendationOf = ({ signal, advice, hit }: Choice, at: number) => ({
  event: signal.event,
  priority: at + 1,
  why_this_matters_now: advice.why,
  current_blindspot: advice.blindspot,
  unlocks_questions: [...advice.unlocks],
  agent_capability_after_install: advice.capability,
  properties: [...advice.properties],
  implementation_hint: hintFor(signal, hit),
});

function blindspotsOf(
  pages: readonly Page[],
  chosen: readonly Choice[],
  { providers, sightline }: ScanResult["analytics_detected"],
): string[] {
  const isEmpty = pages.every(({ parts }) => parts.length === 0);
  const general = [
    ...(isEmpty
      ? [
          "The page has no content before its scripts run, so this plan is a general one that fits any site.",
        ]
      : []),
    ...(sightline || providers.length > 0
      ? []
      : ["The scanned pages have no analytics, so nothing measures their visitors yet."]),
  ];
  return [...general, ...chosen.map(({ advice }) => advice.blindspot)].slice(0, blindspotsMax);
}

function notNeeded(seen: readonly Seen[], events: ReadonlySet<string>) {
  const others = seen.filter(({ signal, hit }) => hit === null && !events.has(signal.event));
  return others.slice(0, notNeededMax).map(({ signal }) => ({
    event: signal.event,
    reason: `The scan did not find ${signal.seenAs}.`,
    revisit_when: `Once ${adviceFor(signal.event).revisitWhen}.`,
  }));
}

function adviceFor(event: string): Advice {
  const advice = adviceOf[event];
  assert(advice !== undefined, "each signal has its advice");
  return advice;
}

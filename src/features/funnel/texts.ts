import type { FunnelCount } from "../../domain/funnel";
import type { StepActivity } from "../../store/questions";

/** Says what is probably wrong with the question or with the data, one sentence for each step that shows it. */
export function stepWarnings(
  names: readonly string[],
  countBy: FunnelCount,
  activity: readonly StepActivity[],
  survivors: readonly number[],
): string[] {
  return names.flatMap((name, step) => {
    const warning = warningOf(countBy, activity[step], survivors[step], survivors[step - 1] ?? 0);
    return warning === null ? [] : [`Step ${step + 1} (${name}) ${warning}`];
  });
}

function warningOf(
  countBy: FunnelCount,
  { event_count: events, joinable_entities: entities }: StepActivity,
  reached: number,
  before: number,
): string | null {
  if (events === 0) return "has no events in this period.";
  if (entities === 0) return `has events, but none with a ${countBy}.`;
  if (reached === 0 && before > 0) {
    return "has events, but no one who completed the previous step completed this one within the window.";
  }
  return null;
}

/** Says what the numbers leave out, whatever the data. */
export function caveatsOf(countBy: FunnelCount, windowHours: number): string[] {
  return [
    `Events without a ${countBy} are not part of the steps; raw_activity counts them.`,
    `A step counts only within ${windowHours} hours of the first one.`,
  ];
}

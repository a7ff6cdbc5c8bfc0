import type { FunnelRequest } from "../../../../domain/counting";
import type { FunnelGroup } from "../../../questions";
import type { UsedEvents } from "./used-events";

/** Sums over all entities, and per breakdown value of the event that an entity used for step 1. */
export function groupsOf(
  used: readonly UsedEvents[],
  { steps, breakdown }: FunnelRequest,
): { overall: FunnelGroup; groups: FunnelGroup[] } {
  const overall = emptyGroup(null, steps.length);
  const groups = new Map<string | null, FunnelGroup>();
  const [first] = used;
  for (let entity = 1; entity < (first?.time.length ?? 0); entity++) {
    if (first.time[entity] === Number.POSITIVE_INFINITY) continue;
    addTo(overall, used, entity);
    if (breakdown === null) continue;
    const value = first.valueOf(entity, breakdown);
    const group = groups.get(value) ?? emptyGroup(value, steps.length);
    groups.set(value, group);
    addTo(group, used, entity);
  }
  return { overall, groups: [...groups.values()] };
}

function addTo(
  { users, total_gap_ms: gaps }: FunnelGroup,
  used: readonly UsedEvents[],
  entity: number,
): void {
  for (let step = 0; step < used.length; step++) {
    const timeMs = used[step].time[entity];
    if (timeMs === Number.POSITIVE_INFINITY) return;
    users[step]++;
    if (step > 0) gaps[step - 1] += timeMs - used[step - 1].time[entity];
  }
}

const emptyGroup = (value: string | null, steps: number): FunnelGroup => ({
  value,
  users: Array(steps).fill(0),
  total_gap_ms: Array(steps).fill(0),
});

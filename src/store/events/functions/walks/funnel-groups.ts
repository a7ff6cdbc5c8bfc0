import type { FunnelRequest } from "../../../../domain/counting";
import type { FunnelGroup } from "../../../questions";
import type { Budget } from "../budget";
import type { UsedEvents } from "./used-events";

/** An object, two lists and a place in the map; the value and the numbers come to it. */
const groupBytes = 256;
const numberBytes = 8;

/** Sums over all entities, and per breakdown value of the event that an entity used for step 1. */
export function groupsOf(
  used: readonly UsedEvents[],
  { steps, breakdown }: FunnelRequest,
  budget: Budget,
): { overall: FunnelGroup; groups: FunnelGroup[] } {
  const overall = emptyGroup(null, steps.length);
  const groups = new Map<string | null, FunnelGroup>();
  const [first] = used;
  budget.each((first?.entityMax ?? -1) + 1, (entity) => {
    if (entity === 0 || !first.has(entity)) return;
    addTo(overall, used, entity);
    if (breakdown === null) return;
    const value = first.valueOf(entity, breakdown);
    let group = groups.get(value);
    if (group === undefined) {
      budget.take(groupBytes + 2 * steps.length * numberBytes + (value?.length ?? 0));
      group = emptyGroup(value, steps.length);
      groups.set(value, group);
    }
    addTo(group, used, entity);
  });
  return { overall, groups: [...groups.values()] };
}

function addTo(
  { users, total_gap_ms: gaps }: FunnelGroup,
  used: readonly UsedEvents[],
  entity: number,
): void {
  for (let step = 0; step < used.length; step++) {
    const timeMs = used[step].timeOf(entity);
    if (timeMs === Number.POSITIVE_INFINITY) return;
    users[step]++;
    if (step > 0) gaps[step - 1] += timeMs - used[step - 1].timeOf(entity);
  }
}

const emptyGroup = (value: string | null, steps: number): FunnelGroup => ({
  value,
  users: Array(steps).fill(0),
  total_gap_ms: Array(steps).fill(0),
});

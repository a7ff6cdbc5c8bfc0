import { monthOf } from "../../domain/month";
import { clock } from "../../lib/clock";
import type { Control } from "../../store/control/control";
import type { EventStore } from "../../store/port";
import type { ReplayStore } from "../../store/replay-port";

interface Stores {
  readonly control: Control;
  readonly store: Pick<EventStore, "storedBytes">;
  readonly replays: Pick<ReplayStore, "projects" | "usage">;
}

/** Returns the bytes of the stored events and recordings of projects, by id; all that have any for null. */
export async function projectBytes(
  { control, store, replays }: Stores,
  projectIds: readonly string[] | null,
): Promise<ReadonlyMap<string, number>> {
  const bytes = new Map(await store.storedBytes(projectIds));
  const recorded = projectIds ?? (await replays.projects()).map(({ id }) => id);
  const month = monthOf(clock.nowMs());
  for (const id of recorded) {
    const owner = control.projects.byId(id)?.accountId;
    if (owner === undefined) continue;
    const { storedBytes } = await replays.usage(owner, id, month);
    bytes.set(id, (bytes.get(id) ?? 0) + storedBytes);
  }
  return bytes;
}

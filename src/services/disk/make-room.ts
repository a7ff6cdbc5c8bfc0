import type { Control } from "../../store/control/control";
import type { EventStore } from "../../store/port";
import type { Disk } from "./disk";

interface Stores {
  readonly disk: Pick<Disk, "isFull">;
  readonly store: Pick<EventStore, "purge">;
  readonly control: Control;
}

/** One run deletes the events of this many projects, the longest deleted first. */
const projectsPerRun = 100;

/**
 * While the disk is full, the events of deleted projects go at once: whoever deleted one to make room waits for it. The
 * rest of the project goes with its purge.
 */
export async function makeRoom({ disk, store, control }: Stores): Promise<void> {
  if (!disk.isFull) return;
  const { projectsDeletedBefore } = control.lifecycle;
  for (const id of projectsDeletedBefore(Number.MAX_SAFE_INTEGER, projectsPerRun)) {
    await store.purge(id);
  }
}

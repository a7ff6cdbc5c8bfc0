import { join } from "node:path";
import { erasedDigests, type KnownErasure } from "../domain/erased-digest";
import { openControl } from "../store/control/control";
import { eraseAtRest } from "../store/events/erase-at-rest";
import { eraseRecordingsAtRest } from "../store/replays/erase-at-rest";

/**
 * Erases from a restored folder whoever was erased after the moment that it is of. Who was erased before is not in the
 * copy, and an id that came again since then is somebody new. Ids that were blocked are blocked again. Returns how many
 * erasures were applied.
 */
export function applyErasures(
  folder: string,
  known: readonly KnownErasure[],
  restoredAtMs: number,
  identitySecret: string | null,
): number {
  const later = known.filter(({ atMs }) => atMs > restoredAtMs);
  if (later.length === 0) return 0;
  const control = openControl({ dataDir: folder, identitySecret });
  try {
    const digestOf = erasedDigests(control.identitySecret);
    const projects = later.flatMap((one) => one.projects);
    const projectIds = [...new Set(projects.map(({ projectId }) => projectId))];
    const ids = new Set(projects.flatMap((one) => one.ids));
    const sessions = new Set(projects.flatMap((one) => one.sessions));
    const found = eraseAtRest(join(folder, "events.db"), projectIds, (projectId, id) =>
      ids.has(digestOf(projectId, id)),
    );
    eraseRecordingsAtRest(folder, projectIds, (projectId, id) =>
      sessions.has(digestOf(projectId, id)),
    );
    for (const [projectId, own] of found) {
      control.erasures.dropMentions({ projectId, ids: own, sessionIds: [] });
    }
    for (const one of later) {
      control.blockedIds.takeOver(one);
      control.archiveErasures.takeOver(one);
    }
    control.emptyLog();
    return later.length;
  } finally {
    control.close();
  }
}

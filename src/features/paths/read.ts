import type { PathsRequest } from "../../domain/counting";
import { allTime, type Days, datesOf, windowOf } from "../../domain/period";
import type { Read } from "../../store/port";
import type { Paths } from "./schema";

interface PathsInput {
  readonly projectId: string;
  readonly days: Days;
  readonly request: PathsRequest;
}

/** POST /paths of the contract. */
export const pathsRead: Read<PathsInput, Paths> = {
  name: "paths",
  scope: ({ projectId }) => ({ projectIds: [projectId], ...allTime }),
  async run(snapshot, { projectId, days, request }) {
    const { goal_event, ...bounds } = request;
    const found = await snapshot.paths({ projectId, ...windowOf(days) }, request);
    return { goal_event, period: datesOf(days), bounds, entry_paths: found };
  },
};

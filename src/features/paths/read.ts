import type { PathsRequest } from "../../domain/counting";
import { allTime, type Days, datesOf } from "../../domain/period";
import { viewOf } from "../../reads/view";
import { type Filtered, warningsOf } from "../../reads/warnings";
import type { Read } from "../../store/port";
import type { Paths } from "./schema";

interface PathsInput extends Filtered {
  readonly days: Days;
  readonly request: PathsRequest;
}

/** POST /paths. */
export const pathsRead: Read<PathsInput, Paths> = {
  name: "paths",
  scope: ({ projectId }) => ({ projectIds: [projectId], ...allTime }),
  async run(snapshot, input) {
    const { projectId, days, request, filters } = input;
    const { goal_event, ...bounds } = request;
    const entry_paths = await snapshot.paths(viewOf(projectId, days, filters), request);
    const warned = await warningsOf(snapshot, input, { days }, [goal_event]);
    return { goal_event, period: datesOf(days), bounds, entry_paths, ...warned };
  },
};

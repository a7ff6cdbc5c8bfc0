import type { PathsRequest } from "../../domain/counting";
import { allTime, type Days, datesOf, windowOf } from "../../domain/period";
import type { Read } from "../../store/port";
import { PROJECT, setsOf } from "../../store/segment-sets";
import type { EntryPath, Paths } from "./schema";

interface PathsInput {
  readonly projectId: string;
  readonly days: Days;
  readonly request: PathsRequest;
}

/** The ways of sessions from their entry page, merged into trees, as JSON. */
export const PATHS = `
  with ${PROJECT}
  select paths(segments, :from, :to, :request) as entry_paths from project`;

/** POST /paths of the contract. */
export const pathsRead: Read<PathsInput, Paths> = {
  name: "paths",
  scope: ({ projectId }) => ({ projectIds: [projectId], ...allTime }),
  run(snapshot, { projectId, days, request }) {
    const { goal_event, ...bounds } = request;
    const found = snapshot.row<{ entry_paths: string }>(PATHS, {
      ...setsOf(snapshot.project(projectId), windowOf(days)),
      request: JSON.stringify(request),
    });
    const entryPaths: EntryPath[] = JSON.parse(found?.entry_paths ?? "[]");
    return { goal_event, period: datesOf(days), bounds, entry_paths: entryPaths };
  },
};

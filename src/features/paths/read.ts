import type { PathsRequest } from "../../domain/counting";
import type { FilterItem } from "../../domain/filter-items";
import { allTime, type Days, datesOf, windowOf } from "../../domain/period";
import { unseenEvents } from "../../reads/unseen-events";
import { viewOf } from "../../reads/view";
import type { Read } from "../../store/port";
import type { Paths } from "./schema";

interface PathsInput {
  readonly projectId: string;
  readonly days: Days;
  readonly request: PathsRequest;
  readonly filters?: readonly FilterItem[] | undefined;
  /** Of a share: what lies outside of them must not show. */
  readonly narrowedBy?: readonly FilterItem[];
}

/** POST /paths of the contract. */
export const pathsRead: Read<PathsInput, Paths> = {
  name: "paths",
  isFiltered: true,
  scope: ({ projectId }) => ({ projectIds: [projectId], ...allTime }),
  async run(snapshot, { projectId, days, request, filters, narrowedBy }) {
    const { goal_event, ...bounds } = request;
    const entry_paths = await snapshot.paths(viewOf(projectId, days, filters), request);
    const view = { projectId, ...windowOf(days) };
    const isAnybodys = narrowedBy === undefined;
    const names = isAnybodys ? [goal_event] : [];
    const warned = await unseenEvents(snapshot, view, names, isAnybodys ? filters : []);
    return { goal_event, period: datesOf(days), bounds, entry_paths, ...warned };
  },
};

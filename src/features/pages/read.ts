import type { PagesRequest } from "../../domain/counting";
import type { FilterItem } from "../../domain/filter-items";
import { allTime, type Days } from "../../domain/period";
import { averageDuration, bounceRate } from "../../domain/session";
import { roundTo } from "../../lib/round";
import { viewOf } from "../../reads/view";
import type { Read } from "../../store/port";
import type { Snapshot, View } from "../../store/questions";
import type { PageRow, Pages, PageType } from "./schema";

interface PagesInput {
  readonly projectId: string;
  readonly days: Days;
  readonly type: PageType;
  readonly limit: number;
  readonly filters?: readonly FilterItem[] | undefined;
}

/** GET /pages of the contract. */
export const pagesRead: Read<PagesInput, Pages> = {
  name: "session-pages",
  isFiltered: true,
  scope: ({ projectId }) => ({ projectIds: [projectId], ...allTime }),
  async run(snapshot, { projectId, days, type, limit, filters }) {
    const view = viewOf(projectId, days, filters);
    const list = (page: PagesRequest["page"]) => rowsOf(snapshot, view, { page, limit });
    return {
      ...(type !== "exit" && { entry_pages: await list("entry_page") }),
      ...(type !== "entry" && { exit_pages: await list("exit_page") }),
    };
  },
};

async function rowsOf(snapshot: Snapshot, view: View, request: PagesRequest): Promise<PageRow[]> {
  const groups = await snapshot.pageGroups(view, request);
  return groups.map(({ page, sessions, bounces, duration, events }) => ({
    page,
    sessions,
    bounces,
    bounce_rate: bounceRate(bounces, sessions),
    avg_duration: averageDuration(duration, sessions),
    avg_events: roundTo(events / sessions, 1),
  }));
}

import type { PagesRequest } from "../../domain/counting";
import { allTime, type Days } from "../../domain/period";
import { averageDuration, bounceRate } from "../../domain/session";
import { roundTo } from "../../lib/round";
import { cutOf } from "../../reads/cut";
import { viewOf } from "../../reads/view";
import { type Filtered, warningsOf } from "../../reads/warnings";
import type { Read } from "../../store/port";
import type { PageGroups } from "../../store/questions";
import type { PageRow, Pages, PageType } from "./schema";

interface PagesInput extends Filtered {
  readonly days: Days;
  readonly type: PageType;
  readonly limit: number;
}

/** GET /pages. */
export const pagesRead: Read<PagesInput, Pages> = {
  name: "session-pages",
  scope: ({ projectId }) => ({ projectIds: [projectId], ...allTime }),
  async run(snapshot, input) {
    const { projectId, days, type, limit, filters } = input;
    const view = viewOf(projectId, days, filters);
    const pages = pagesOf[type];
    const lists = await snapshot.pageGroups(view, { pages, limit });
    const entry = lists[pages.indexOf("entry_page")] ?? none;
    const exit = lists[pages.indexOf("exit_page")] ?? none;
    return {
      ...(type !== "exit" && { entry_pages: rowsOf(entry) }),
      ...(type !== "entry" && { exit_pages: rowsOf(exit) }),
      ...cutOf(entry.groups_total + exit.groups_total, entry.rows.length + exit.rows.length),
      ...(await warningsOf(snapshot, input, { days })),
    };
  },
};

const pagesOf: Readonly<Record<PageType, PagesRequest["pages"]>> = {
  entry: ["entry_page"],
  exit: ["exit_page"],
  both: ["entry_page", "exit_page"],
};
const none: PageGroups = { rows: [], groups_total: 0 };

function rowsOf({ rows }: PageGroups): PageRow[] {
  return rows.map(({ page, sessions, bounces, duration, events }) => ({
    page,
    sessions,
    bounces,
    bounce_rate: bounceRate(bounces, sessions),
    avg_duration: averageDuration(duration, sessions),
    avg_events: roundTo(events / sessions, 1),
  }));
}

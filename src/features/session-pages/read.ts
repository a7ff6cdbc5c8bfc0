import type { PagesRequest } from "../../domain/counting";
import { allTime, type Days, windowOf } from "../../domain/period";
import { roundTo } from "../../lib/round";
import type { Read, Snapshot } from "../../store/port";
import { PROJECT, type Sets, setsOf } from "../../store/segment-sets";
import type { PageRow, Pages, PageType } from "./schema";

interface PagesInput {
  readonly projectId: string;
  readonly days: Days;
  readonly type: PageType;
  readonly limit: number;
}

/** Sums over the sessions of the window by entry or exit page: those with most sessions, in order, as JSON. */
export const PAGES = `
  with ${PROJECT}
  select page_groups(segments, :from, :to, :request) as pages from project`;

interface Group {
  readonly page: string;
  readonly sessions: number;
  readonly bounces: number;
  readonly duration: number;
  readonly events: number;
}

/** GET /pages of the contract. */
export const pagesRead: Read<PagesInput, Pages> = {
  name: "session-pages",
  scope: ({ projectId }) => ({ projectIds: [projectId], ...allTime }),
  run(snapshot, { projectId, days, type, limit }) {
    const sets = setsOf(snapshot.project(projectId), windowOf(days));
    return {
      ...(type !== "exit" && { entry_pages: list(snapshot, sets, "entry_page", limit) }),
      ...(type !== "entry" && { exit_pages: list(snapshot, sets, "exit_page", limit) }),
    };
  },
};

function list(
  snapshot: Snapshot,
  sets: Sets,
  page: PagesRequest["page"],
  limit: number,
): PageRow[] {
  const request = JSON.stringify({ page, limit } satisfies PagesRequest);
  const found = snapshot.row<{ pages: string }>(PAGES, { ...sets, request });
  const groups: Group[] = JSON.parse(found?.pages ?? "[]");
  return groups.map(({ page: shown, sessions, bounces, duration, events }) => ({
    page: shown,
    sessions,
    bounces,
    bounce_rate: roundTo(bounces / sessions, 3),
    avg_duration: Math.round(duration / sessions),
    avg_events: roundTo(events / sessions, 1),
  }));
}

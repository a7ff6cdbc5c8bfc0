import Type, { type Static } from "typebox";
import { ofProject } from "../../domain/context-fields";
import type { PagesRequest } from "../../domain/counting";
import {
  BounceRate,
  Bounces,
  Count,
  ofCut,
  ofWindow,
  storedTextCharsMax,
  Warnings,
} from "../../domain/fields";
import { FiltersText } from "../../domain/filter-fields";
import { pageLimitMax } from "../../domain/limits";
import { allTime } from "../../domain/period";
import { averageDuration, bounceRate } from "../../domain/session";
import { pro } from "../../http/operation/facts";
import { projectRead } from "../../http/operation/project-read";
import { severalTables, tableOf } from "../../http/operation/table";
import { roundTo } from "../../lib/round";
import { ofVisitors, pageSize, schema } from "../../lib/schema";
import { cutOf } from "../../reads/cut";
import type { PageGroups } from "../../store/questions";

const limitDefault = 20;
const limitOfPages = { min: 1, max: pageLimitMax, default: limitDefault };
const PageType = Type.Enum(["entry", "exit", "both"], { default: "entry" });
type PageType = Static<typeof PageType>;

const PagesQuery = schema(
  Type.Object(
    {
      ...ofWindow,
      type: Type.Optional(PageType),
      filters: Type.Optional(FiltersText),
      limit: Type.Optional(pageSize(limitOfPages, "Maximum number of pages in each list.")),
    },
    { $id: "PagesQuery" },
  ),
);

const PageRow = schema(
  Type.Object(
    {
      page: Type.String({ ...ofVisitors, maxLength: storedTextCharsMax }),
      sessions: Count,
      bounces: Bounces,
      bounce_rate: BounceRate,
      avg_duration: Type.Integer({ description: "Milliseconds." }),
      avg_events: Type.Number(),
    },
    { $id: "PageRow" },
  ),
);
type PageRow = Static<typeof PageRow>;
const PageRows = Type.Array(PageRow, {
  maxItems: pageLimitMax,
  description: "Most sessions first.",
});

export const PagesResponse = schema(
  Type.Object(
    {
      ...ofProject,
      entry_pages: Type.Optional(PageRows),
      exit_pages: Type.Optional(PageRows),
      ...ofCut,
      warnings: Warnings,
    },
    { $id: "PagesResponse" },
  ),
);

export const pagesRead = projectRead("GET /pages", {
  access: pro("analytics:read", "RD"),
  shares: {},
  doc: {
    id: "listPages",
    summary: "List entry and exit pages",
    description:
      "Sessions of the window by their entry page, their exit page, or both, with bounces and durations. " +
      "The page of an event is its property path, else url.",
  },
  example: { project: "shop", type: "entry" },
  takes: PagesQuery,
  returns: PagesResponse,
  table: {
    refuse: ({ type }) => {
      if (type === "both") throw severalTables("type", "request entry and exit pages separately");
    },
    of: ({ entry_pages, exit_pages }) => tableOf(PageRow, entry_pages ?? exit_pages ?? []),
  },
  question: ({ type = "entry", limit = limitDefault }) => ({ type, limit }),
  scope: () => allTime,
  ask: (snapshot, { view, type, limit }) =>
    snapshot.pageGroups(view, { pages: pagesOf[type], limit }),
  shape: (lists, { type }) => {
    const entry = lists[pagesOf[type].indexOf("entry_page")] ?? none;
    const exit = lists[pagesOf[type].indexOf("exit_page")] ?? none;
    return {
      ...(type !== "exit" && { entry_pages: rowsOf(entry) }),
      ...(type !== "entry" && { exit_pages: rowsOf(exit) }),
      ...cutOf(entry.groups_total + exit.groups_total, entry.rows.length + exit.rows.length),
    };
  },
});

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

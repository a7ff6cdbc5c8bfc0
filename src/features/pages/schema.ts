import Type, { type Static } from "typebox";
import { ofProject } from "../../domain/context-fields";
import {
  BounceRate,
  Bounces,
  Count,
  ofCut,
  ofRead,
  Since,
  storedTextCharsMax,
  Until,
  Warnings,
} from "../../domain/fields";
import { FiltersText } from "../../domain/filter-fields";
import { pageLimitMax } from "../../domain/limits";
import { ofVisitors, pageSize, schema } from "../../lib/schema";

export const pagesLimitDefault = 20;

const limit = { min: 1, max: pageLimitMax, default: pagesLimitDefault };
const PageType = Type.Enum(["entry", "exit", "both"], { default: "entry" });
export type PageType = Static<typeof PageType>;

export const PagesQuery = schema(
  Type.Object(
    {
      ...ofRead,
      since: Type.Optional(Since),
      until: Type.Optional(Until),
      type: Type.Optional(PageType),
      filters: Type.Optional(FiltersText),
      limit: Type.Optional(pageSize(limit, "Pages at most, of each list.")),
    },
    { $id: "PagesQuery" },
  ),
);

export const PageRow = schema(
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
export type PageRow = Static<typeof PageRow>;
const PageRows = Type.Array(PageRow, {
  maxItems: pageLimitMax,
  description: "Most sessions first.",
});

export const Pages = Type.Object({
  entry_pages: Type.Optional(PageRows),
  exit_pages: Type.Optional(PageRows),
  ...ofCut,
  warnings: Warnings,
});
export type Pages = Static<typeof Pages>;

export const PagesResponse = schema(
  Type.Object({ ...ofProject, ...Pages.properties }, { $id: "PagesResponse" }),
);

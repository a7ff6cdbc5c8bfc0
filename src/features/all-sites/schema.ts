import Type, { type Static } from "typebox";
import { ComparedLabel, ofComparedWindow } from "../../domain/compared-fields";
import {
  Count,
  Delta,
  IsoDate,
  listItemsMax,
  ObjectId,
  PeriodZone,
  ProjectName,
  ReadZone,
} from "../../domain/fields";
import { pageLimitMax } from "../../domain/limits";
import { comparedDatesMax } from "../../domain/period";
import { pageSize, schema } from "../../lib/schema";

const limit = { min: 1, max: pageLimitMax, default: 10 };

export const AllSitesQuery = schema(
  Type.Object(
    {
      ...ofComparedWindow,
      tz: Type.Optional({
        ...ReadZone,
        description: "IANA time zone for dates. Default: UTC.",
      }),
      limit: Type.Optional(pageSize(limit, "Maximum number of projects.")),
    },
    { $id: "AllSitesQuery" },
  ),
);
export const allSitesLimitDefault = limit.default;

const Project = Type.Object({
  id: ObjectId,
  name: ProjectName,
  events: Count,
  share_pct: Type.Number({ description: "Percent of the events of all projects." }),
  last_active_date: Type.Union([IsoDate, Type.Null()]),
});

export const AllSitesResponse = schema(
  Type.Object(
    {
      scope: Type.Literal("account"),
      period: Type.Object({
        label: ComparedLabel,
        from: IsoDate,
        to: IsoDate,
        timezone: PeriodZone,
        previous_from: IsoDate,
        previous_to: IsoDate,
      }),
      summary: Type.Object({
        total_projects: Count,
        active_projects: Count,
        total_events: Delta,
      }),
      time_series: Type.Array(Type.Object({ date: IsoDate, events: Count }), {
        maxItems: comparedDatesMax,
      }),
      projects: Type.Array(Project, { maxItems: listItemsMax, description: "Most events first." }),
      remaining_projects: {
        ...Count,
        description: "Number of active projects that limit left out.",
      },
    },
    { $id: "AllSitesResponse" },
  ),
);
export type AllSites = Static<typeof AllSitesResponse>;

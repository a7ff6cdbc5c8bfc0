import Type, { type Static } from "typebox";
import { ComparedLabel, ofComparedWindow } from "../../domain/compared-fields";
import { ofProject } from "../../domain/context-fields";
import {
  Count,
  Delta,
  IsoDate,
  listItemsMax,
  ObjectId,
  ofUtcRead,
  ProjectName,
  Timestamp,
} from "../../domain/fields";
import { actorCharsMax } from "../../domain/limits";
import { comparedDatesMax } from "../../domain/period";
import { ofServer, ofVisitors, pageSize, schema } from "../../lib/schema";

const limit = { min: 1, max: 50, default: 10 };
export const botTrafficLimitDefault = limit.default;
export const categoriesMax = 20;
const asked = {
  ...ofComparedWindow,
  limit: Type.Optional(pageSize(limit, "Maximum number of actors, operators or projects.")),
};

export const BotTrafficQuery = schema(
  Type.Object({ ...ofUtcRead, ...asked }, { $id: "BotTrafficQuery" }),
);
export const AccountBotTrafficQuery = schema(Type.Object(asked, { $id: "AccountBotTrafficQuery" }));

const counts = { requests: Count, dropped_events: Count };
const Category = Type.String({ ...ofServer, maxLength: actorCharsMax });
const Share = Type.Number({ description: "Percent of all automated requests." });
const Period = Type.Object({
  label: ComparedLabel,
  from: IsoDate,
  to: IsoDate,
  previous_from: IsoDate,
  previous_to: IsoDate,
});
const LastSeen = Type.Union([Timestamp, Type.Null()]);
const summary = { automated_requests: Delta, dropped_events: Delta, last_seen_at: LastSeen };
const Categories = Type.Array(Type.Object({ category: Category, ...counts, share_pct: Share }), {
  maxItems: categoriesMax,
});
const Operator = Type.String({ ...ofServer, maxLength: actorCharsMax });
const Actors = Type.Array(
  Type.Object({
    actor: Type.String({ ...ofVisitors, maxLength: actorCharsMax }),
    operator: {
      ...Type.Union([Operator, Type.Null()]),
      description: "Operator according to the bot's name, which anyone can send.",
    },
    category: Category,
    ...counts,
    last_seen_at: Timestamp,
  }),
  { maxItems: limit.max },
);
const Operators = Type.Array(
  Type.Object({ operator: Operator, ...counts, share_pct: Share, last_seen_at: Timestamp }),
  { maxItems: limit.max, description: "Known operators." },
);
const TimeSeries = Type.Array(Type.Object({ date: IsoDate, ...counts }), {
  maxItems: comparedDatesMax,
});

export const BotTraffic = Type.Object({
  scope: Type.Literal("project"),
  period: Period,
  summary: Type.Object(summary),
  categories: Categories,
  actors: Actors,
  operators: Operators,
  time_series: TimeSeries,
});
export type BotTraffic = Static<typeof BotTraffic>;

export const BotTrafficResponse = schema(
  Type.Object({ ...ofProject, ...BotTraffic.properties }, { $id: "BotTrafficResponse" }),
);

export const AccountBotTrafficResponse = schema(
  Type.Object(
    {
      scope: Type.Literal("account"),
      period: Period,
      summary: Type.Object({ ...summary, active_projects: Count, total_projects: Count }),
      categories: Categories,
      actors: Actors,
      operators: Operators,
      projects: Type.Array(
        Type.Object({
          id: ObjectId,
          name: ProjectName,
          ...counts,
          share_pct: Share,
          last_seen_at: Timestamp,
        }),
        { maxItems: listItemsMax },
      ),
      remaining_projects: Count,
      time_series: TimeSeries,
    },
    { $id: "AccountBotTrafficResponse" },
  ),
);
export type AccountBotTraffic = Static<typeof AccountBotTrafficResponse>;

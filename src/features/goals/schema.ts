import Type, { type Static } from "typebox";
import { EventName, IsoTime, ObjectId, ProjectName, ProjectSelector } from "../../domain/fields";
import {
  goalFiltersMax,
  goalNameCharsMax,
  goalsPerProjectMax,
} from "../../domain/goals/definition";
import {
  definitionFields,
  GoalNamed,
  GoalPage,
  GoalProperty,
  GoalValueSent,
} from "../../domain/goals/fields";
import { nullClears, ofOwner, orNull, schema, trimmed } from "../../lib/schema";

const Name = trimmed({
  minLength: 1,
  maxLength: goalNameCharsMax,
  description: "Unique in the project, whatever its case.",
});
const filtersWords =
  "Conditions {field, op, value} as in POST /query, on fields of the event itself.";

/** The fields of a request, which a change has too. */
const sent = {
  event: Type.Optional({
    ...EventName,
    description: "The name of the event. Either this or page.",
  }),
  page: Type.Optional(GoalPage),
  filters: Type.Optional(
    Type.Array(Type.Unknown(ofOwner), { maxItems: goalFiltersMax, description: filtersWords }),
  ),
  value: Type.Optional({
    ...orNull(GoalValueSent),
    ...nullClears,
    description: "The property whose numbers are added as revenue, and their currency.",
  }),
  once_per: Type.Optional({
    ...orNull(GoalProperty),
    ...nullClears,
    description: "Such as order_id: of stored events with the same value only the earliest counts.",
  }),
};

export const Goal = schema(
  Type.Object(
    {
      id: ObjectId,
      project_id: ObjectId,
      name: Type.String({ ...ofOwner, maxLength: goalNameCharsMax }),
      ...definitionFields,
      created_at: IsoTime,
      updated_at: IsoTime,
    },
    { $id: "Goal" },
  ),
);
export type Goal = Static<typeof Goal>;

export const GoalsQuery = schema(
  Type.Object({ project: ProjectSelector }, { $id: "GoalsQuery", examples: [{ project: "shop" }] }),
);
export const GoalList = schema(
  Type.Object(
    {
      project: ProjectName,
      goals: Type.Array(Type.Union([Goal, GoalNamed]), {
        maxItems: goalsPerProjectMax,
        description: "Oldest first. A share sees id and name alone.",
      }),
    },
    { $id: "GoalList" },
  ),
);
export const GoalRequest = schema(
  Type.Object(
    { project: ProjectSelector, name: Name, ...sent },
    {
      $id: "GoalRequest",
      examples: [
        {
          ...{ project: "shop", name: "Order", event: "purchase", once_per: "order_id" },
          value: { property: "amount", currency: "EUR" },
        },
      ],
    },
  ),
);
export const GoalChange = schema(
  Type.Object(
    { name: Type.Optional(Name), ...sent },
    { $id: "GoalChange", examples: [{ name: "Paid order" }] },
  ),
);
export const DeletedGoal = schema(
  Type.Object({ ok: Type.Literal(true), id: ObjectId }, { $id: "DeletedGoal" }),
);

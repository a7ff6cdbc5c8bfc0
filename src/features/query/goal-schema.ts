import Type from "typebox";
import { EventName } from "../../domain/fields";
import { FilterList } from "../../domain/filter-fields";
import { GoalPage, GoalProperty, GoalSelector, GoalValueSent } from "../../domain/goals/fields";

/** The goal of a query. */
export const Goal = Type.Object(
  {
    goal: Type.Optional(GoalSelector.properties.goal),
    event: Type.Optional(EventName),
    page: Type.Optional(GoalPage),
    filters: Type.Optional(FilterList),
    value: Type.Optional(GoalValueSent),
    once_per: Type.Optional(GoalProperty),
  },
  {
    description:
      'What counts as success: {"goal": "Order"} for a goal of the project, or the fields of POST /goals. ' +
      "conversions and conversion_rate count the sessions of a group that contain such an event, even outside " +
      "the dates and filters.",
    examples: [{ goal: "Order" }, { event: "signup" }],
  },
);

import Type from "typebox";
import { ofOwner, orNull } from "../../lib/schema";
import { ObjectId } from "../fields";
import { eventNameCharsMax, propertyKeyCharsMax } from "../limits";
import {
  type GoalDefinition,
  goalFiltersMax,
  goalNameCharsMax,
  goalPageCharsMax,
  goalsPerProjectMax,
} from "./definition";

/** Schemas of goals that several operations share. */

/** Checked in domain/goals/definition.ts, as every key of a property is. */
const keyCharsMax = 200;
export const GoalProperty = Type.String({
  ...ofOwner,
  minLength: 1,
  maxLength: keyCharsMax,
});
export const GoalCurrency = orNull(
  Type.String({ ...ofOwner, maxLength: 3, description: "ISO 4217, in capitals." }),
);
export const GoalPage = Type.String({
  ...ofOwner,
  minLength: 1,
  maxLength: goalPageCharsMax,
  description: "A viewed page such as /thanks, or /docs/* for all that begin with /docs/.",
});
/** A goal's value in a request. */
export const GoalValueSent = Type.Object({
  property: GoalProperty,
  currency: Type.Optional(GoalCurrency),
});
/** A goal's value in an answer. */
const GoalValue = Type.Object({
  property: Type.String({ ...ofOwner, maxLength: propertyKeyCharsMax }),
  currency: GoalCurrency,
});
/** The definition of a goal in an answer. */
export const definitionFields = {
  event: orNull(Type.String({ ...ofOwner, maxLength: eventNameCharsMax })),
  page: orNull(Type.String({ ...ofOwner, maxLength: goalPageCharsMax })),
  filters: Type.Array(Type.Unknown(ofOwner), { maxItems: goalFiltersMax }),
  value: orNull(GoalValue),
  once_per: orNull(Type.String({ ...ofOwner, maxLength: propertyKeyCharsMax })),
};
/** The goal that a request named, in its answer. */
export const GoalNamed = Type.Object({
  id: ObjectId,
  name: Type.String({ ...ofOwner, maxLength: goalNameCharsMax }),
});

/** A goal with the definition that was stored with an experiment or with filters. */
export const StoredGoal = Type.Object({ ...GoalNamed.properties, ...definitionFields });
/** The goals of stored filters; absent if they name none. */
export const StoredGoals = Type.Optional(
  Type.Array(StoredGoal, {
    maxItems: goalsPerProjectMax,
    description: "The goals that `filters` names, as they were when the filters were saved.",
  }),
);

/** A goal of the project in place of an event. */
export const GoalSelector = Type.Object(
  {
    goal: Type.String({
      ...ofOwner,
      minLength: 1,
      maxLength: keyCharsMax,
      description: "Name or id of a goal.",
    }),
  },
  { additionalProperties: false },
);
/** The goal that was named in place of an event; absent when none was. */
export const NamedInAnswer = Type.Optional(GoalNamed);

/** A definition as answers show it. */
export const definitionShown = ({ event, page, filters, value, oncePer }: GoalDefinition) => ({
  ...{ event, page, filters: [...filters], value, once_per: oncePer },
});

import Type from "typebox";
import { ofOwner, orNull } from "../../lib/schema";
import { ObjectId } from "../fields";
import { propertyKeyCharsMax } from "../limits";
import { goalNameCharsMax } from "./definition";

/** Schemas of goals that several operations share. */

/** Checked in domain/goals/definition.ts, as every key of a property is. */
const keyCharsMax = 200;
export const GoalProperty = Type.String({
  ...ofOwner,
  minLength: 1,
  maxLength: keyCharsMax,
  description: "A property key, without properties. in front.",
});
export const GoalCurrency = orNull(
  Type.String({ ...ofOwner, maxLength: 3, description: "ISO 4217, in capitals." }),
);
/** A goal's value in an answer. */
export const GoalValue = Type.Object({
  property: Type.String({ ...ofOwner, maxLength: propertyKeyCharsMax }),
  currency: GoalCurrency,
});
/** The goal that a request named, in its answer. */
export const GoalNamed = Type.Object({
  id: ObjectId,
  name: Type.String({ ...ofOwner, maxLength: goalNameCharsMax }),
});

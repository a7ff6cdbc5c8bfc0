import Type from "typebox";
import { filterFields, filterOps } from "./filter";
import { GoalSelector } from "./goals/fields";
import { anyItemsMax, eventNameCharsMax, queryFiltersMax } from "./limits";

/** The length of filters as JSON in a query string. */
const filtersTextCharsMax = 32_768;

/** Schemas of filters in requests. Unknown words are refused by name in domain/, with those that are allowed. */

const wordCharsMax = 200;
const Word = (description: string) => Type.String({ maxLength: wordCharsMax, description });
const Name = (description: string) => Type.String({ maxLength: eventNameCharsMax, description });

const ofField = {
  field: Type.Optional(
    Word(
      `${filterFields.join(", ")}, properties.<key>, or a session. or user. field of group_by in POST /query. ` +
        "A session field has the value of the session's earliest event with that field; pages are its entry and " +
        "exit page. session.referrer is a host, session.source the name of a site such as Google, else the " +
        "utm_source in lower case, session.channel a word such as Organic Search, session.visitor new or " +
        "returning. user.first_ fields are those of the user's earliest stored session.",
    ),
  ),
  op: Type.Optional(Word(`One of ${filterOps.join(", ")}.`)),
  value: Type.Optional(
    Type.Unknown({
      description:
        "Compared as numbers if both sides are numbers, otherwise as text. A list with in and not_in; absent " +
        "with is_null and not_null. A missing field matches only is_null and not_in.",
    }),
  ),
};
const ofDeeds = {
  did: Type.Optional(Name("Matches if the user sent this event in the window, or since `since`.")),
  did_not: Type.Optional(Name("The opposite of did.")),
  session_did: Type.Optional(
    Type.Union([Name("An event that the session has, at any time."), GoalSelector]),
  ),
  session_did_not: Type.Optional(Type.Union([Name("The opposite of session_did."), GoalSelector])),
  since: Type.Optional(
    Word(
      "For did and did_not: first date of the time to check; it ends with the window. A date, or days before " +
        "the window's last date such as `90d`. Default: the first date of the window.",
    ),
  ),
  filters: Type.Optional(
    Type.Array(Type.Object(ofField), {
      maxItems: queryFiltersMax,
      description: "For did, session_did and their opposites: conditions for that event.",
    }),
  ),
};
const Simple = Type.Object({ ...ofField, ...ofDeeds });

export const FilterList = Type.Array(
  Type.Object({
    ...ofField,
    ...ofDeeds,
    any: Type.Optional(
      Type.Array(Simple, { maxItems: anyItemsMax, description: "At least one must match." }),
    ),
  }),
  {
    maxItems: queryFiltersMax,
    description:
      "All must match. Event counts include matching events. Session counts include sessions with a matching " +
      "event in the window, measured on all their events.",
    examples: [
      [
        { field: "country", op: "in", value: ["DE", "AT"] },
        { any: [{ field: "properties.path", op: "prefix", value: "/blog" }, { did: "signup" }] },
      ],
    ],
  },
);

/** The filters of a read in a query string. */
export const FiltersText = Type.String({
  maxLength: filtersTextCharsMax,
  description: "The `filters` of POST /query as a JSON list.",
  examples: ['[{"field":"country","op":"eq","value":"DE"}]'],
});

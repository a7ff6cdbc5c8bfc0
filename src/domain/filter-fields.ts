import Type from "typebox";
import { filterFields, filterOps } from "./filter";
import { anyItemsMax, queryFiltersMax } from "./limits";
import { sessionFields } from "./session-field";
import { channels } from "./sources/channel";

/** The length of filters as JSON in a query string. */
const filtersTextCharsMax = 32_768;

/** Schemas of filters in requests. Unknown words are refused by name in domain/, with those that are allowed. */

const wordCharsMax = 200;
const Word = (description: string) => Type.String({ maxLength: wordCharsMax, description });

const ofField = {
  field: Type.Optional(
    Word(
      `${[...filterFields, ...sessionFields].join(", ")} or properties.<key>. A field of a session is that of the ` +
        "event's session: but for the pages, of its earliest event that has one. session.referrer is a host, " +
        "session.source the name of a site such as Google, else the utm_source in lower case, session.channel one of " +
        `${channels.join(", ")}.`,
    ),
  ),
  op: Type.Optional(Word(`One of ${filterOps.join(", ")}.`)),
  value: Type.Optional(
    Type.Unknown({
      description:
        "Compared as text, or as a number where both sides are. A list with in and not_in; none with is_null and " +
        "not_null. A missing field matches is_null and not_in alone.",
    }),
  ),
};
const ofPeople = {
  did: Type.Optional(
    Word(
      "An event that the user of the event has done, within the window of the read alone or from `since` on.",
    ),
  ),
  did_not: Type.Optional(
    Word("An event that the user has not done within that time; events without a user match."),
  ),
  since: Type.Optional(
    Word(
      "Of did and did_not: the first date of the time that is looked at, up to the end of the window. A date, or a " +
        "number of days before the window's last date such as `90d`. Default: that of the window.",
    ),
  ),
  filters: Type.Optional(
    Type.Array(Type.Object(ofField), {
      maxItems: queryFiltersMax,
      description: "Of did and did_not: what must hold for that event.",
    }),
  ),
};
const Simple = Type.Object({ ...ofField, ...ofPeople });

export const FilterList = Type.Array(
  Type.Object({
    ...ofField,
    ...ofPeople,
    any: Type.Optional(
      Type.Array(Simple, { maxItems: anyItemsMax, description: "At least one of these holds." }),
    ),
  }),
  {
    maxItems: queryFiltersMax,
    description:
      "All must hold. Of events, those that match are counted; of sessions, those with such an event in the window, " +
      "which stay judged on all their events.",
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
  description: "The list that POST /query takes as filters, as JSON.",
  examples: ['[{"field":"country","op":"eq","value":"DE"}]'],
});

import Type, { type Static } from "typebox";
import { verdicts } from "../../domain/changes/assessment";
import {
  changeMetrics,
  dimensionsDefault,
  namedDimensions,
  propertyDimensionsMax,
} from "../../domain/changes/change-counts";
import { ofProject } from "../../domain/context-fields";
import {
  AskedName,
  Count,
  EventName,
  IsoDate,
  ofRead,
  PeriodZone,
  Since,
  storedTextCharsMax,
  Until,
  Warnings,
} from "../../domain/fields";
import { FiltersText } from "../../domain/filter-fields";
import { GoalSelector, NamedInAnswer } from "../../domain/goals/fields";
import { comparedPeriods } from "../../domain/period";
import { ofOwner, ofServer, ofVisitors, pageSize, schema } from "../../lib/schema";
import { driversMax } from "../../reads/changes-shape";

const dimensionsMax = namedDimensions.length + propertyDimensionsMax;
const dimensionCharsMax = 160;
const dimensionsTextCharsMax = dimensionsMax * dimensionCharsMax;
const valuesShownMax = 50;
export const valuesShownDefault = 10;
const caveatsMax = 8;

export const ChangesQuery = schema(
  Type.Object(
    {
      ...ofRead,
      metric: Type.Optional(Type.Enum([...changeMetrics], { default: "events" })),
      event: Type.Optional({
        ...EventName,
        description: "The counted event, or the goal of conversion, which requires it or goal.",
      }),
      goal: Type.Optional({
        ...GoalSelector.properties.goal,
        description: "A goal in place of event.",
      }),
      period: Type.Optional(
        Type.Enum([...comparedPeriods], {
          description: "Complete dates up to yesterday, default 7d. Or send since and until.",
        }),
      ),
      // Without it `period` is used.
      since: Type.Optional({ ...Since, default: undefined }),
      until: Type.Optional({ ...Until, description: "Last date, inclusive. Default: yesterday." }),
      dimensions: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: dimensionsTextCharsMax,
          default: dimensionsDefault.join(),
          description:
            `Comma-separated: ${namedDimensions.join(", ")}, properties.<key>; at most ${propertyDimensionsMax} ` +
            "properties.",
        }),
      ),
      limit: Type.Optional(
        pageSize(
          { min: 1, max: valuesShownMax, default: valuesShownDefault },
          "Maximum number of values per dimension.",
        ),
      ),
      filters: Type.Optional(FiltersText),
    },
    { $id: "ChangesQuery" },
  ),
);

const Amount = Type.Number({ description: "A count, or a conversion rate." });
const OrNull = Type.Union([Type.Number(), Type.Null()]);
const Significant = Type.Union([Type.Boolean(), Type.Null()]);
const Dimension = Type.String({ ...ofOwner, maxLength: dimensionCharsMax });

const ofValue = {
  value: Type.Union([Type.String({ ...ofVisitors, maxLength: storedTextCharsMax }), Type.Null()]),
  current: Amount,
  previous: Amount,
  delta: Type.Number(),
  share_pct: { ...OrNull, description: "Share of the total change." },
  excess: {
    ...OrNull,
    description: "Part of the change that is not proportional to the total change.",
  },
  z: Type.Number(),
  new: Type.Boolean(),
  gone: Type.Boolean(),
};
const DimensionValue = Type.Object({
  ...ofValue,
  dispersion: OrNull,
  significant: Significant,
  mix: Type.Optional(
    Type.Number({ description: "For conversion: effect of its share of sessions." }),
  ),
  rate: Type.Optional(Type.Number({ description: "For conversion: effect of its own rate." })),
});

const ofDates = { from: IsoDate, to: IsoDate, timezone: PeriodZone };
const Period = Type.Object({ ...ofDates, value: Amount });

const Changes = Type.Object({
  metric: Type.Enum([...changeMetrics]),
  event: Type.Union([AskedName, Type.Null()]),
  goal: NamedInAnswer,
  current: Period,
  previous: Period,
  reference: Type.Object({ ...ofDates, dates: Count }),
  needs: {
    ...Type.Union([Type.Object({ dates: Count, have: Count }), Type.Null()]),
    description: "With too_little_history: the number of earlier dates required and stored.",
  },
  tested: Count,
  threshold: { ...OrNull, description: "z must exceed it." },
  total: Type.Object({
    delta: OrNull,
    change_pct: Type.Union([Type.Integer(), Type.Null()]),
    dispersion: OrNull,
    z: OrNull,
    significant: Significant,
  }),
  verdict: Type.Enum([...verdicts]),
  drivers: Type.Array(Type.Object({ dimension: Dimension, ...ofValue }), { maxItems: driversMax }),
  dimensions: Type.Array(
    Type.Object({
      dimension: Dimension,
      surprise: Type.Number({ description: "0: same mix of values; 1: no values in common." }),
      values: Type.Array(DimensionValue, { maxItems: valuesShownMax }),
      other: Type.Object({
        values: Count,
        current: Amount,
        previous: Amount,
        delta: Type.Number(),
      }),
    }),
    { maxItems: dimensionsMax },
  ),
  caveats: Type.Array(Type.String(ofServer), { maxItems: caveatsMax }),
  warnings: Warnings,
});
type Changes = Static<typeof Changes>;
export type ChangedDimension = Changes["dimensions"][number];
export type Driver = Changes["drivers"][number];

export const ChangesResponse = schema(
  Type.Object({ ...ofProject, ...Changes.properties }, { $id: "ChangesResponse" }),
);

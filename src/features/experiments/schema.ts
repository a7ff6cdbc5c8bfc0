import Type, { type Static, type TNumber } from "typebox";
import { ProjectContext } from "../../domain/context-fields";
import {
  experimentNamePattern,
  experimentStatuses,
  variantKeyPattern,
} from "../../domain/experiment";
import { recommendationCodes } from "../../domain/experiment-results";
import {
  Count,
  EventName,
  IsoTime,
  ObjectId,
  ofRead,
  ProjectName,
  ProjectSelector,
  Rate,
} from "../../domain/fields";
import { GoalNamed, GoalSelector, StoredGoal } from "../../domain/goals/fields";
import {
  experimentNameCharsMax,
  sufficientExposures,
  variantKeyCharsMax,
  variantsMax,
  variantsMin,
} from "../../domain/limits";
import { ofOwner, ofServer, schema } from "../../lib/schema";

const Name = Type.String({
  ...ofOwner,
  pattern: experimentNamePattern,
  minLength: 1,
  maxLength: experimentNameCharsMax,
  description:
    "1 to 64 letters, digits, `_` and `-`, for `data-aa-experiment` in pages. Unique in the project, " +
    "including completed experiments.",
});
const VariantKey = Type.String({
  ...ofOwner,
  pattern: variantKeyPattern,
  maxLength: variantKeyCharsMax,
});
const GoalEvent = Type.String({
  ...ofOwner,
  ...EventName,
  description: "Event that counts as a conversion. Track it like any other event.",
});

/** The number of variants and their keys are checked in domain/, which answers INVALID_VARIANTS. */
export const ExperimentRequest = schema(
  Type.Object(
    {
      project: ProjectSelector,
      name: Name,
      variants: Type.Array(Type.String(), {
        description:
          `${variantsMin} to ${variantsMax} keys of 1 to ${variantKeyCharsMax} letters, digits, \`_\` and \`-\`, ` +
          "unique regardless of case. The first is the control, the page's original content.",
      }),
      goal_event: Type.Union([GoalEvent, GoalSelector], {
        description:
          'The event that counts as a conversion, or {"goal": "Order"} for a goal of the project.',
      }),
      weights: Type.Optional(
        Type.Array(Type.Number(), {
          description:
            "Percent of visitors for each variant, whole numbers that add up to 100. Default: equal, with the " +
            "remainder for the first.",
        }),
      ),
    },
    { $id: "ExperimentRequest" },
  ),
);

export const ExperimentsQuery = schema(
  Type.Object({ project: ProjectSelector }, { $id: "ExperimentsQuery" }),
);

export const ExperimentQuery = schema(
  Type.Object({ context: ofRead.context, tz: ofRead.tz }, { $id: "ExperimentQuery" }),
);

/** The schema has no bounds: they are checked once it is known that the experiment exists. */
export const ExperimentChange = schema(
  Type.Object(
    {
      status: Type.Optional(
        Type.String({
          description:
            "Required: `active`, `paused` or `completed`. `paused` removes it from pages until it is `active` " +
            "again; `completed` is final.",
        }),
      ),
      winner: Type.Optional(
        Type.String({ description: "Key of a variant; only together with `completed`." }),
      ),
    },
    { $id: "ExperimentChange" },
  ),
);

const record = {
  id: ObjectId,
  project_id: ObjectId,
  account_id: ObjectId,
  name: Name,
  variants: Type.Array(
    Type.Object({
      key: VariantKey,
      weight: Type.Integer({ minimum: 0, maximum: 100, description: "Percent of visitors." }),
    }),
    {
      minItems: variantsMin,
      maxItems: variantsMax,
      description: "The first is the control.",
    },
  ),
  goal_event: GoalEvent,
  goal: Type.Optional({
    ...Type.Union([StoredGoal, GoalNamed]),
    description: "The goal that was named, as it was then.",
  }),
  status: Type.Enum([...experimentStatuses]),
  winner: Type.Union([VariantKey, Type.Null()]),
  created_at: IsoTime,
  updated_at: IsoTime,
  completed_at: Type.Union([IsoTime, Type.Null()]),
};

export const Experiment = schema(Type.Object(record, { $id: "Experiment" }));
export type Experiment = Static<typeof Experiment>;

const byKey = (schema: TNumber, description: string) =>
  Type.Record(Type.String({ pattern: variantKeyPattern }), schema, { description });

const results = Type.Object({
  variants: Type.Array(
    Type.Object({
      key: VariantKey,
      exposures: { ...Count, description: "Exposure events." },
      unique_users: { ...Count, description: "Users whose earliest exposure was to this variant." },
      conversions: {
        ...Count,
        description: "Users of the variant with a goal event at or after their earliest exposure.",
      },
      conversion_rate: { ...Rate, description: "conversions ÷ unique_users, to four digits." },
    }),
    { maxItems: variantsMax, description: "In the order of the experiment, the control first." },
  ),
  probability_best: byKey(
    Rate,
    "By key: probability that the variant has the highest rate, from these numbers alone.",
  ),
  lift: byKey(
    Type.Number(),
    "By key: rate ÷ rate of the control − 1; for the control: compared with the best other variant. 0.2 is " +
      "20% more.",
  ),
  sufficient_data: Type.Boolean({
    description: `True if every variant has ${sufficientExposures} exposures.`,
  }),
  recommendation: Type.String({
    ...ofServer,
    description: "Explanation and next step.",
  }),
  recommendation_code: Type.Enum([...recommendationCodes], {
    description:
      "`insufficient_data`; else by the highest probability: `winner` from 0.90, `leaning` from 0.75, else " +
      "`inconclusive`.",
  }),
});

export const ExperimentWithResults = schema(
  Type.Object(
    { ...record, results, project_context: Type.Optional(ProjectContext) },
    { $id: "ExperimentWithResults" },
  ),
);
export type ExperimentWithResults = Static<typeof ExperimentWithResults>;

export const ExperimentList = schema(
  Type.Object(
    {
      project: ProjectName,
      experiments: Type.Array(Experiment, { description: "Newest first." }),
    },
    { $id: "ExperimentList" },
  ),
);

export const DeletedExperiment = schema(
  Type.Object({ ok: Type.Literal(true), deleted: ObjectId }, { $id: "DeletedExperiment" }),
);

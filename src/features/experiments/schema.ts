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
    "1 to 64 letters, digits, `_` and `-`; what pages call it in `data-aa-experiment`. Unique in the project, also " +
    "among experiments that are over.",
});
const VariantKey = Type.String({
  ...ofOwner,
  pattern: variantKeyPattern,
  maxLength: variantKeyCharsMax,
});
const GoalEvent = Type.String({
  ...ofOwner,
  ...EventName,
  description: "Name of the event that counts as a conversion. It is tracked like any other event.",
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
          "which differ in more than upper and lower case. The first is the control: pages keep their content for it.",
      }),
      goal_event: GoalEvent,
      weights: Type.Optional(
        Type.Array(Type.Number(), {
          description:
            "Percent of visitors for each variant, whole numbers that sum to 100. Default: equal, the remainder to " +
            "the first.",
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
            "Required: `active`, `paused` or `completed`. `paused` takes it off the pages until it is `active` " +
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
      conversions: { ...Count, description: "Those of them with a goal event at or after it." },
      conversion_rate: { ...Rate, description: "conversions ÷ unique_users, to four digits." },
    }),
    { maxItems: variantsMax, description: "In the order of the experiment, the control first." },
  ),
  probability_best: byKey(
    Rate,
    "By key: how likely the variant has the highest rate of all, given these numbers and nothing else.",
  ),
  lift: byKey(
    Type.Number(),
    "By key: rate ÷ rate of the control − 1; of the control: against the best of the others. 0.2 is 20% more.",
  ),
  sufficient_data: Type.Boolean({
    description: `Whether every variant has ${sufficientExposures} exposures.`,
  }),
  recommendation: Type.String({
    ...ofServer,
    description: "What the numbers say and what to do next.",
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

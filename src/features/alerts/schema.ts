import Type, { type Static } from "typebox";
import { alertStates } from "../../domain/alerts/rules";
import {
  alertDirections,
  alertKinds,
  alertMetrics,
  alertNameCharsMax,
  alertPers,
  alertSensitivities,
  alertsPerProjectMax,
} from "../../domain/alerts/specs";
import {
  Count,
  EventName,
  IsoDate,
  IsoTime,
  ObjectId,
  ProjectSelector,
  timeCharsMax,
} from "../../domain/fields";
import { StoredGoals } from "../../domain/goals/fields";
import { eventNameCharsMax, queryFiltersMax } from "../../domain/limits";
import { Recipients, Targets } from "../../domain/subscription-fields";
import { ofOwner, schema, trimmed } from "../../lib/schema";
import { episodesShownMax } from "../../store/control/alerts";

const minutes = { minimum: 30, maximum: 1_440 };
const least = { minimum: 10, maximum: 100_000 };
const factors = { minimum: 2, maximum: 100 };
const countMax = 1_000_000_000;

const Filters = Type.Array(Type.Unknown(), {
  maxItems: queryFiltersMax,
  description: "Filters as in POST /query.",
});
const Name = trimmed({ minLength: 1, maxLength: alertNameCharsMax });

/** The fields of all kinds. Each kind takes its own. */
const fields = {
  metric: Type.Optional(Type.Enum([...alertMetrics], { description: "change: what is counted." })),
  event: Type.Optional({ ...EventName, description: "change, goal: the name of an event." }),
  filters: Type.Optional(Filters),
  direction: Type.Optional(Type.Enum([...alertDirections])),
  sensitivity: Type.Optional(
    Type.Enum([...alertSensitivities], {
      description: "change: how rare a false alarm is. About one in 50 years, 5 years or 9 months.",
    }),
  ),
  hour: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 23,
      description: "change: the hour of the project's zone.",
    }),
  ),
  after_minutes: Type.Optional(Type.Integer({ ...minutes, description: "silence" })),
  fixed: Type.Optional(Type.Boolean({ description: "silence: also where few events are usual." })),
  at_least: Type.Optional(Type.Integer({ ...least, description: "surge: visitors in an hour." })),
  factor: Type.Optional(
    Type.Number({ ...factors, description: "surge: times the most of the weeks before." }),
  ),
  count: Type.Optional(Type.Integer({ minimum: 1, maximum: countMax, description: "goal" })),
  per: Type.Optional(Type.Enum([...alertPers], { description: "goal: once a date, or once." })),
  each: Type.Optional(
    Type.Boolean({
      description: "goal: one message to webhooks for the events of each minute.",
    }),
  ),
};

const Episode = Type.Object({
  from: IsoTime,
  to: Type.Optional(IsoTime),
  observed: Type.Number(),
  expected: Type.Number(),
});

export const Alert = schema(
  Type.Object(
    {
      id: ObjectId,
      project: ObjectId,
      name: Type.String({ ...ofOwner, maxLength: alertNameCharsMax }),
      kind: Type.Enum([...alertKinds]),
      ...fields,
      event: Type.Optional(Type.String({ ...ofOwner, maxLength: eventNameCharsMax })),
      filters: Type.Optional(Type.Array(Type.Unknown(ofOwner), { maxItems: queryFiltersMax })),
      goals: StoredGoals,
      to: Recipients,
      state: Type.Enum([...alertStates]),
      since: IsoTime,
      last_evaluated_at: Type.Optional(IsoTime),
      history: Type.Array(Episode, { maxItems: episodesShownMax, description: "Newest first." }),
    },
    { $id: "Alert" },
  ),
);
export type Alert = Static<typeof Alert>;

export const AlertList = schema(
  Type.Object(
    {
      alerts: Type.Array(Alert, { maxItems: alertsPerProjectMax }),
      mail: Type.Boolean({ description: "false: this server sends no mail, only to webhooks." }),
    },
    { $id: "AlertList" },
  ),
);

export const AlertRequest = schema(
  Type.Object(
    {
      project: ProjectSelector,
      name: Name,
      kind: Type.Enum([...alertKinds]),
      ...fields,
      to: Targets,
    },
    { $id: "AlertRequest" },
  ),
);
export const AlertChange = schema(
  Type.Object(
    { name: Type.Optional(Name), ...fields, to: Type.Optional(Targets) },
    { $id: "AlertChange" },
  ),
);
export const AlertsQuery = schema(
  Type.Object({ project: ProjectSelector }, { $id: "AlertsQuery" }),
);
export const AlertMoment = schema(
  Type.Object(
    {
      at: Type.Optional(
        Type.String({ maxLength: timeCharsMax, description: "A past time. Default: now." }),
      ),
    },
    { $id: "AlertMoment" },
  ),
);

const number = (description: string) => Type.Optional(Type.Number({ description }));
export const AlertNumbersAnswer = schema(
  Type.Object(
    {
      would: Type.Enum([...alertStates]),
      observed: number("The count that is judged."),
      previous: number("change: the count of the same weekday a week before."),
      expected: number("The count that is usual; for surge and goal the bound."),
      dispersion: number("change: how much more counts vary than by chance alone."),
      z: number("change: distance from the week before, in standard deviations."),
      z_expected: number("change: distance from what is usual."),
      threshold: Type.Optional(
        Type.Union([Type.Number(), Type.Null()], {
          description: "Both distances must be beyond it.",
        }),
      ),
      date: Type.Optional(IsoDate),
      reference: Type.Optional(Type.Object({ from: IsoDate, to: IsoDate, dates: Count })),
      minutes: Type.Optional(Count),
      count: number("goal: the events that would be told."),
      first_at: Type.Optional({ ...IsoTime, description: "goal: the first of them." }),
      last_at: Type.Optional({ ...IsoTime, description: "goal: the last of them." }),
    },
    { $id: "AlertNumbers" },
  ),
);
export const AlertDone = schema(Type.Object({ ok: Type.Literal(true) }, { $id: "AlertDone" }));

import Type, { type Static } from "typebox";
import { ofProject } from "../../domain/context-fields";
import {
  Count,
  DatePeriod,
  ofCut,
  ofRead,
  Rate,
  Since,
  StoredName,
  storedTextCharsMax,
  Until,
} from "../../domain/fields";
import { FilterList } from "../../domain/filter-fields";
import { funnelCounts, stepSources } from "../../domain/funnel";
import { NamedInAnswer } from "../../domain/goals/fields";
import { funnelStepsMax } from "../../domain/limits";
import { ofOwner, ofServer, ofVisitors, pageSize, schema } from "../../lib/schema";

const funnelHoursMax = 8_760;
export const funnelHoursDefault = 168;
const funnelBreakdownMax = 50;
export const funnelBreakdownDefault = 10;

const breakdownLimit = { min: 1, max: funnelBreakdownMax, default: funnelBreakdownDefault };
const fieldCharsMax = 200;
const CountBy = Type.Enum([...funnelCounts], { default: "user_id" });
const Hours = Type.Number({ minimum: 1, maximum: funnelHoursMax, default: funnelHoursDefault });
/** Texts that explain the numbers: at most one for each step, and a few for the whole. */
const textsMax = { maxItems: 4 * funnelStepsMax };

export const FunnelBody = schema(
  Type.Object(
    {
      ...ofRead,
      steps: Type.Optional(
        Type.Array(Type.Unknown(), {
          description:
            '2 to 8 steps: event names, {event, filters?}, or {"goal": "Order"} for a goal of the project. ' +
            "A filter is {field, op, value} as in POST /query, or " +
            "{property, op, value}. Default: the project's activation events.",
        }),
      ),
      from_context: Type.Optional(
        Type.Boolean({ description: "Use the activation events of the project's context." }),
      ),
      filters: Type.Optional(FilterList),
      conversion_window_hours: Type.Optional(Hours),
      since: Type.Optional(Type.String({ ...Since, default: "30d" })),
      until: Type.Optional(Until),
      count_by: Type.Optional(CountBy),
      breakdown: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: fieldCharsMax,
          description: "A property key, country, or a field of visitors.",
        }),
      ),
      breakdown_limit: Type.Optional(
        pageSize(breakdownLimit, "Maximum number of breakdown values."),
      ),
    },
    { $id: "FunnelBody" },
  ),
);
export type FunnelBody = Static<typeof FunnelBody>;

const gap = Type.Union([Type.Integer(), Type.Null()], {
  description: "Milliseconds to the next step, for those who reached it; null if none did.",
});
const stepFields = {
  step: Type.Integer({ minimum: 1, maximum: funnelStepsMax }),
  event: StoredName,
  goal: NamedInAnswer,
  users: Count,
  strict_survivors: Count,
  conversion_rate: Rate,
  conversion_from_previous: Rate,
  drop_off_rate: Rate,
  conversion_rates: Type.Object({ from_previous: Rate, from_start: Rate }),
  avg_time_to_next_ms: gap,
};
const BreakdownStep = Type.Object(stepFields);
const Step = Type.Object({
  ...stepFields,
  raw_activity: Type.Object({ event_count: Count, unique_users: Count, sessions: Count }),
  joinable_entities: Count,
});
export type BreakdownStep = Static<typeof BreakdownStep>;

const Breakdown = Type.Object({
  value: Type.Union([Type.String({ ...ofVisitors, maxLength: storedTextCharsMax }), Type.Null()]),
  steps: Type.Array(BreakdownStep, { maxItems: funnelStepsMax }),
  overall_conversion_rate: Rate,
});

export const Funnel = Type.Object({
  period: DatePeriod,
  count_by: CountBy,
  conversion_window_hours: Hours,
  steps_source: Type.Enum([...stepSources]),
  identity_basis: Type.Enum(["resolved_user_id_or_user_id", "session_id"]),
  steps: Type.Array(Step, { maxItems: funnelStepsMax }),
  overall_conversion_rate: Rate,
  warnings: Type.Array(Type.String(ofOwner), textsMax),
  caveats: Type.Array(Type.String(ofServer), textsMax),
  breakdowns: Type.Optional(Type.Array(Breakdown, { maxItems: funnelBreakdownMax })),
  ...ofCut,
});
export type Funnel = Static<typeof Funnel>;

export const FunnelResponse = schema(
  Type.Object({ ...ofProject, ...Funnel.properties }, { $id: "FunnelResponse" }),
);

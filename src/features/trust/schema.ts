import Type, { type Static } from "typebox";
import { ofProject } from "../../domain/context-fields";
import {
  Count,
  DatePeriod,
  IsoDate,
  listItemsMax,
  ofRead,
  ProjectSelector,
  Since,
  Timestamp,
  Until,
} from "../../domain/fields";
import { digestPattern, trustFields } from "../../domain/trust/fields";
import { rulesVersion, trustCategories, trustRules } from "../../domain/trust/rules";
import { ofServer, ofVisitors, pageSize, schema } from "../../lib/schema";

const Category = Type.Enum([...trustCategories]);

export const TrustRules = schema(
  Type.Object(
    {
      version: Type.Literal(rulesVersion),
      rules: Type.Array(
        Type.Object({
          category: Category,
          pattern: Type.String({ ...ofServer, description: "A JavaScript regular expression." }),
          flags: Type.String({ pattern: "^u?$" }),
        }),
        { maxItems: trustRules.length },
      ),
    },
    { $id: "TrustRules" },
  ),
);

const maskInWords = "`mask`: responses show `[flagged:<digest>]` instead of a flagged text.";
const Flagged = Type.Enum(["show", "mask"], { description: maskInWords });
/** The digests of texts that a project's owner took for harmless. */
const clearedMax = 500;
const Cleared = Type.Array(Type.String({ pattern: digestPattern }), {
  maxItems: clearedMax,
  description: "Digests of texts that are no longer flagged.",
});
const Policy = Type.Object({ flagged: Flagged, cleared: Cleared });

export const TrustBody = schema(
  Type.Object(
    {
      project: ProjectSelector,
      flagged: Type.Optional(
        Type.Enum(["show", "mask", "hold"], {
          default: "show",
          description: `${maskInWords} \`hold\` is not supported yet.`,
        }),
      ),
      cleared: Type.Optional(Cleared),
    },
    { $id: "TrustBody", additionalProperties: false },
  ),
);

export const TrustPolicyResponse = schema(
  Type.Object({ project: ofProject.project, ...Policy.properties }, { $id: "TrustPolicyResponse" }),
);

const limit = { min: 1, max: 100, default: 20 };
export const trustLimitDefault = limit.default;

export const TrustQuery = schema(
  Type.Object(
    {
      ...ofRead,
      since: Type.Optional(Since),
      until: Type.Optional(Until),
      limit: Type.Optional(pageSize(limit, "Values.")),
      show: Type.Optional(Type.Boolean({ description: "Includes the texts. Default: false." })),
    },
    { $id: "TrustQuery" },
  ),
);

const Sums = { values: Count, events: Count };
const Value = Type.Object({
  field: Type.Enum([...trustFields]),
  key: Type.Optional(Type.String({ ...ofVisitors, description: "Property key." })),
  categories: Type.Array(Category, { maxItems: trustCategories.length }),
  digest: Type.String({ pattern: digestPattern }),
  length: Count,
  events: Count,
  first_seen: Timestamp,
  last_seen: Timestamp,
  cleared: Type.Boolean({ description: "Not included in sums." }),
  text: Type.Optional(
    Type.String({ ...ofVisitors, description: "Beginning of the text, made inert." }),
  ),
});

export const Trust = Type.Object({
  rules_version: Type.Literal(rulesVersion),
  policy: Policy,
  period: DatePeriod,
  summary: Type.Object({
    ...Sums,
    by_category: Type.Array(Type.Object({ category: Category, ...Sums }), {
      maxItems: trustCategories.length,
    }),
  }),
  time_series: Type.Array(Type.Object({ date: IsoDate, events: Count }), {
    maxItems: listItemsMax,
  }),
  values: Type.Array(Value, { maxItems: limit.max, description: "Most events first." }),
});
export type Trust = Static<typeof Trust>;

export const TrustResponse = schema(
  Type.Object({ ...ofProject, ...Trust.properties }, { $id: "TrustResponse" }),
);

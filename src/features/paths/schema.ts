import Type, { type Static, type TSchema } from "typebox";
import { ofProject } from "../../domain/context-fields";
import {
  AskedName,
  Count,
  DatePeriod,
  LastDate,
  ofRead,
  Rate,
  storedTextCharsMax,
  Warnings,
} from "../../domain/fields";
import { FilterList } from "../../domain/filter-fields";
import { pathExitPagesMax } from "../../domain/limits";
import { ofVisitors, schema } from "../../lib/schema";

export const pathStepsMax = 5;
const pathEntriesMax = 20;
export const pathEntriesDefault = 10;
const pathBranchesMax = 10;
export const pathBranchesDefault = 5;
const pathSessionsMin = 100;
const pathSessionsMax = 10_000;

const Page = Type.String({ ...ofVisitors, maxLength: storedTextCharsMax });
const bounded = (minimum: number, maximum: number, otherwise: number, description: string) =>
  Type.Integer({ minimum, maximum, default: otherwise, description });
const SessionCap = Type.Integer({
  minimum: pathSessionsMin,
  maximum: pathSessionsMax,
  description: "Sessions that are walked. The newest. Default: all.",
});
const bounds = {
  max_steps: bounded(1, pathStepsMax, pathStepsMax, "Places on the way. What is longer is cut."),
  entry_limit: bounded(1, pathEntriesMax, pathEntriesDefault, "Entry pages. Most sessions first."),
  path_limit: bounded(1, pathBranchesMax, pathBranchesDefault, "Branches of each node."),
};

export const PathsBody = schema(
  Type.Object(
    {
      ...ofRead,
      goal_event: Type.String({
        maxLength: 1_000,
        description:
          "The event that counts as converting; 1 to 256 characters without spaces around.",
      }),
      until: Type.Optional(LastDate),
      since: Type.Optional(Type.Enum(["1d", "7d", "14d", "30d", "90d"], { default: "30d" })),
      filters: Type.Optional(FilterList),
      max_steps: Type.Optional(bounds.max_steps),
      entry_limit: Type.Optional(bounds.entry_limit),
      path_limit: Type.Optional(bounds.path_limit),
      candidate_session_cap: Type.Optional(SessionCap),
    },
    { $id: "PathsBody" },
  ),
);

const weight = { sessions: Count, conversions: Count, conversion_rate: Rate };

export interface PathNode {
  readonly type: "page" | "event" | "goal" | "truncated" | "drop_off";
  readonly value: string;
  readonly sessions: number;
  readonly conversions: number;
  readonly conversion_rate: number;
  readonly children: readonly PathNode[];
  readonly exit_page?: string | null;
}

/** A tree is as deep as a way has places, and its end: written out, so that no reader of the schema has to recurse. */
const nodeWith = (levelsBelow: number): TSchema =>
  Type.Object({
    type: Type.Enum(["page", "event", "goal", "truncated", "drop_off"]),
    value: Page,
    ...weight,
    children:
      levelsBelow === 0
        ? Type.Array(Type.Object({}, { additionalProperties: false }), { maxItems: 0 })
        : Type.Array(nodeWith(levelsBelow - 1), { maxItems: pathBranchesMax }),
    exit_page: Type.Optional(
      Type.Union([Page, Type.Null()], { description: "On nodes of type truncated and drop_off." }),
    ),
  });
const Node = Type.Unsafe<PathNode>(nodeWith(pathStepsMax));

const ExitPage = Type.Object({
  exit_page: Page,
  ...weight,
  drop_offs: Count,
  drop_off_rate: Rate,
});
const EntryPath = Type.Object({
  entry_page: Page,
  ...weight,
  exit_pages: Type.Array(ExitPage, { maxItems: pathExitPagesMax }),
  tree: Type.Array(Node, { maxItems: pathBranchesMax }),
});

export const Paths = Type.Object({
  goal_event: AskedName,
  period: DatePeriod,
  bounds: Type.Object({
    ...bounds,
    candidate_session_cap: Type.Union([SessionCap, Type.Null()], {
      description: "Null where all sessions were walked.",
    }),
  }),
  entry_paths: Type.Array(EntryPath, { maxItems: pathEntriesMax }),
  warnings: Warnings,
});
export type Paths = Static<typeof Paths>;

export const PathsResponse = schema(
  Type.Object({ ...ofProject, ...Paths.properties }, { $id: "PathsResponse" }),
);

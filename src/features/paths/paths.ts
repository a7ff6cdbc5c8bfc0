import Type, { type TSchema } from "typebox";
import { ofProject } from "../../domain/context-fields";
import {
  AskedName,
  Count,
  DatePeriod,
  LastDate,
  ofRead,
  Rate,
  Since,
  storedTextCharsMax,
  Warnings,
} from "../../domain/fields";
import { FilterList } from "../../domain/filter-fields";
import { goalInScope, namedIn } from "../../domain/goal";
import { GoalSelector, NamedInAnswer } from "../../domain/goals/fields";
import { pathExitPagesMax } from "../../domain/limits";
import { allTime, datesOf, daysOf, lastMoment } from "../../domain/period";
import { eventOrGoal } from "../../domain/sent-goal";
import { pro } from "../../http/operation/facts";
import { projectRead } from "../../http/operation/project-read";
import { ofVisitors, schema } from "../../lib/schema";

const pathsSinceDefault = "30d";
const pathStepsMax = 5;
const pathEntriesMax = 20;
const pathEntriesDefault = 10;
const pathBranchesMax = 10;
const pathBranchesDefault = 5;
const pathSessionsMin = 100;
const pathSessionsMax = 10_000;

const Page = Type.String({ ...ofVisitors, maxLength: storedTextCharsMax });
const bounded = (minimum: number, maximum: number, otherwise: number, description: string) =>
  Type.Integer({ minimum, maximum, default: otherwise, description });
const SessionCap = Type.Integer({
  minimum: pathSessionsMin,
  maximum: pathSessionsMax,
  description: "Use only this number of newest sessions. Default: all.",
});
const bounds = {
  max_steps: bounded(1, pathStepsMax, pathStepsMax, "Maximum length of a path."),
  entry_limit: bounded(
    1,
    pathEntriesMax,
    pathEntriesDefault,
    "Maximum number of entry pages, most sessions first.",
  ),
  path_limit: bounded(
    1,
    pathBranchesMax,
    pathBranchesDefault,
    "Maximum number of branches per node.",
  ),
};

const PathsBody = schema(
  Type.Object(
    {
      ...ofRead,
      goal_event: Type.Union(
        [
          Type.String({
            maxLength: 1_000,
            description: "The event that counts as a conversion; 1 to 256 characters, trimmed.",
          }),
          GoalSelector,
        ],
        { description: 'An event, or {"goal": "Order"} for a goal of the project.' },
      ),
      until: Type.Optional(LastDate),
      since: Type.Optional({ ...Since, default: pathsSinceDefault }),
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
      Type.Union([Page, Type.Null()], { description: "For nodes of type truncated and drop_off." }),
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

export const PathsResponse = schema(
  Type.Object(
    {
      ...ofProject,
      goal_event: AskedName,
      goal: NamedInAnswer,
      period: DatePeriod,
      bounds: Type.Object({
        ...bounds,
        candidate_session_cap: Type.Union([SessionCap, Type.Null()], {
          description: "Null if all sessions were used.",
        }),
      }),
      entry_paths: Type.Array(EntryPath, { maxItems: pathEntriesMax }),
      warnings: Warnings,
    },
    { $id: "PathsResponse" },
  ),
);

export const pathsRead = projectRead("POST /paths", {
  access: pro("analytics:read", "RD"),
  shares: {},
  doc: {
    id: "getPaths",
    summary: "Get paths from entry pages to a goal",
    description:
      "Sessions per entry page as a tree of pages and events. Each node has the number of its sessions and " +
      "of those that contain the goal. Lists are limited, so children may add up to less than their parent.",
  },
  example: { project: "shop", goal_event: "purchase", max_steps: 3 },
  takes: PathsBody,
  returns: PathsResponse,
  question: (input, { nowMs, zone, goals }) => ({
    days: daysOf({
      since: input.since ?? pathsSinceDefault,
      until: null,
      nowMs: lastMoment(input.until, nowMs, zone),
      zone,
    }),
    request: {
      goal: goalInScope(eventOrGoal(input.goal_event, "goal_event", goals), { ...allTime, zone }),
      max_steps: input.max_steps ?? pathStepsMax,
      entry_limit: input.entry_limit ?? pathEntriesDefault,
      path_limit: input.path_limit ?? pathBranchesDefault,
      candidate_session_cap: input.candidate_session_cap ?? null,
    },
  }),
  scope: () => allTime,
  ask: (snapshot, { view, request }) => snapshot.paths(view, request),
  shape: (entry_paths, { days, request: { goal, ...bounds } }) => ({
    goal_event: goal.event,
    ...namedIn(goal),
    period: datesOf(days),
    bounds,
    entry_paths,
  }),
  doubts: ({ request: { goal } }) => ({
    names: [goal.event],
    goals: [{ goal, countsSessions: true, addsValues: false }],
  }),
});

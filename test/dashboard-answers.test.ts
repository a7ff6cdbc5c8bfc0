import { expect, test } from "bun:test";
import type { Static } from "typebox";
import type * as Shown from "../src/dashboard/data/answers";
import type * as Goals from "../src/dashboard/data/goal-answers";
import type * as GoalRows from "../src/dashboard/data/goal-rows";
import { contextMax, goalMax } from "../src/dashboard/data/limits";
import type { PathsAnswer } from "../src/dashboard/data/path-answers";
import type * as People from "../src/dashboard/data/people-answers";
import type { RetentionAnswer } from "../src/dashboard/data/retention-answers";
import type * as Sharing from "../src/dashboard/data/sharing-answers";
import { ProjectContextBody } from "../src/domain/context-fields";
import {
  goalFiltersMax,
  goalNameCharsMax,
  goalsPerProjectMax,
} from "../src/domain/goals/definition";
import type { AllSitesResponse } from "../src/features/all-sites/schema";
import type { BotTrafficResponse } from "../src/features/bot-traffic/schema";
import type { BreakdownResponse } from "../src/features/breakdown/breakdown";
import type { ChangesResponse } from "../src/features/changes/schema";
import type { EventsResponse } from "../src/features/events/schema";
import type { ExperimentList, ExperimentWithResults } from "../src/features/experiments/schema";
import type { FunnelResponse } from "../src/features/funnel/schema";
import type { Goal, GoalList } from "../src/features/goals/schema";
import type { HistoryResponse } from "../src/features/history/schema";
import type { JourneyResponse } from "../src/features/identity/schema";
import type { ArrivalsResponse } from "../src/features/ingest-diagnostics/schema";
import type { LiveResponse } from "../src/features/live/schema";
import type { PagesResponse } from "../src/features/pages/pages";
import type { PathsResponse } from "../src/features/paths/paths";
import type { ProjectContextResponse } from "../src/features/project-context/schema";
import type { ProjectList } from "../src/features/projects/schema";
import type { PropertiesResponse } from "../src/features/properties/properties";
import type { ComparedResult, GoalsResult, QueryResult } from "../src/features/query/schema";
import type { ReplayList } from "../src/features/replays/schema";
import type { RetentionResponse } from "../src/features/retention/retention";
import type { DistributionResponse } from "../src/features/sessions/distribution";
import type { SessionsResponse } from "../src/features/sessions/schema";
import type { ShareList } from "../src/features/shares/schema";
import type { StatsResponse } from "../src/features/stats/stats";
import type { ViewList } from "../src/features/views/schema";

/** What the dashboard says that it is answered, and what the schema says: the second has to be the first, too. */
type Pairs = [
  [Shown.StatsAnswer, Static<typeof StatsResponse>],
  [Shown.QueryAnswer, QueryResult & Pick<Static<typeof StatsResponse>, "project_context">],
  [Shown.BreakdownAnswer, Static<typeof BreakdownResponse>],
  [Shown.ChangesAnswer, Static<typeof ChangesResponse>],
  [Shown.PagesAnswer, Static<typeof PagesResponse>],
  [Shown.PropertiesAnswer, Static<typeof PropertiesResponse>],
  [Shown.FunnelAnswer, Static<typeof FunnelResponse>],
  [RetentionAnswer, Static<typeof RetentionResponse>],
  [Shown.LiveAnswer, Static<typeof LiveResponse>],
  [Shown.Project, Static<typeof ProjectList>["projects"][number]],
  [People.EventsAnswer, Static<typeof EventsResponse>],
  [People.SessionsAnswer, Static<typeof SessionsResponse>],
  [People.DistributionAnswer, Static<typeof DistributionResponse>],
  [Shown.BotsAnswer, Static<typeof BotTrafficResponse>],
  [Shown.SitesAnswer, Static<typeof AllSitesResponse>],
  [Shown.ExperimentsAnswer, Static<typeof ExperimentList>],
  [Shown.ExperimentAnswer, Static<typeof ExperimentWithResults>],
  [PathsAnswer, Static<typeof PathsResponse>],
  [People.JourneyAnswer, Static<typeof JourneyResponse>],
  [People.ReplaysAnswer, Static<typeof ReplayList>],
  [Shown.ArrivalsAnswer, Static<typeof ArrivalsResponse>],
  [Sharing.ViewsAnswer, Static<typeof ViewList>],
  [Sharing.SharesAnswer, Static<typeof ShareList>],
  [Shown.ContextAnswer, Static<typeof ProjectContextResponse>],
  [Shown.HistoryAnswer, Static<typeof HistoryResponse>],
  [GoalRows.GoalRowsAnswer, GoalsResult],
  [GoalRows.GoalNamesAnswer, Static<typeof GoalList>],
  [Goals.Goal, Goal],
  [Goals.GoalExperimentsAnswer, Static<typeof ExperimentList>],
  [Shown.ComparedAnswer, ComparedResult & Pick<Static<typeof StatsResponse>, "project_context">],
];

/** A field that the schema does not have is no field of its type, also where the dashboard takes it for optional. */
type Unknown<Ours, Theirs> = Ours extends readonly (infer O)[]
  ? Theirs extends readonly (infer T)[]
    ? Unknown<O, T>
    : never
  : Ours extends object
    ? Theirs extends object
      ? {
          // The nodes of a tree have children of their own type, which has been looked at by then.
          [K in Exclude<keyof Ours, "children">]-?: K extends keyof Theirs
            ? Unknown<NonNullable<Ours[K]>, NonNullable<Theirs[K]>>
            : K;
        }[Exclude<keyof Ours, "children">]
      : never
    : never;

type Verdict<Pair> = Pair extends [infer Ours, infer Theirs]
  ? Theirs extends Ours
    ? [Unknown<Ours, Theirs>] extends [never]
      ? true
      : Unknown<Ours, Theirs>
    : "the schema differs"
  : never;
type VerdictsOf<Of extends readonly unknown[]> = { [At in keyof Of]: Verdict<Of[At]> };
/** The compiler is the test: anything else than `true` cannot be written here. */
const verdicts: VerdictsOf<Pairs> = [
  ...([true, true, true, true, true, true, true] as const),
  ...([true, true, true, true, true, true, true] as const),
  ...([true, true, true, true, true, true, true] as const),
  ...([true, true, true, true, true, true, true] as const),
  ...([true, true] as const),
];

test("what the dashboard is answered is what the schemas of the features say", () => {
  expect(verdicts.every((one) => one)).toBe(true);
});

test("how much of a project's context may be written is what the dashboard says", () => {
  const { goals, activation_events, glossary, annotations } = ProjectContextBody.properties;
  const itemsOf = (list: object): unknown => new Map(Object.entries(list)).get("maxItems");
  const { activationEvents, ...others } = contextMax;
  expect({ ...others, activation_events: activationEvents }).toEqual({
    goals: itemsOf(goals),
    activation_events: itemsOf(activation_events),
    glossary: itemsOf(glossary),
    annotations: itemsOf(annotations),
  } as typeof contextMax & { activation_events: number });
});

test("the form of a goal counts up to what the server keeps", () => {
  const kept = { goals: goalsPerProjectMax, filters: goalFiltersMax, nameChars: goalNameCharsMax };
  expect(goalMax).toEqual(kept);
});

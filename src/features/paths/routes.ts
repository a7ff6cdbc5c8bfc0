import { invalidField } from "../../domain/errors";
import { filterErrors } from "../../domain/filter";
import { filterItems } from "../../domain/filter-items";
import { eventNameCharsMax } from "../../domain/limits";
import { daysOf, lastMoment } from "../../domain/period";
import { zoneOfRead } from "../../domain/time-zone-name";
import type { Feature } from "../../http/feature";
import { projectOperation } from "../../http/operation/account-operation";
import { pro } from "../../http/operation/facts";
import { clock } from "../../lib/clock";
import { codePointCount } from "../../lib/text";
import { pathsExample } from "./examples";
import { pathsRead } from "./read";
import {
  PathsBody,
  PathsResponse,
  pathBranchesDefault,
  pathEntriesDefault,
  pathStepsMax,
} from "./schema";

export const pathsFeature = (): Feature => ({
  operations: [
    projectOperation("POST /paths", {
      access: pro("analytics:read", "RD"),
      shares: {},
      doc: {
        id: "getPaths",
        summary: "What visitors do between their entry page and a goal",
        description:
          "The sessions per entry page as a tree of pages and events, each node with how many sessions " +
          "passed it and how many of them have the goal anywhere in them. Lists are cut, so that children " +
          "may sum to less than their parent.",
        tag: "Reads",
        example: pathsExample,
        errors: filterErrors,
      },
      takes: PathsBody,
      returns: { 200: PathsResponse },
      handle: async ({ project, input, read, withAvailable }) => {
        const zone = zoneOfRead(input.tz, project);
        const days = daysOf({
          since: input.since ?? "30d",
          until: null,
          nowMs: lastMoment(input.until, clock.nowMs(), zone),
          zone,
        });
        const filters = await withAvailable(() => filterItems(input.filters), days);
        return read(
          pathsRead,
          {
            projectId: project.id,
            days,
            filters,
            request: {
              goal_event: goalOf(input.goal_event),
              max_steps: input.max_steps ?? pathStepsMax,
              entry_limit: input.entry_limit ?? pathEntriesDefault,
              path_limit: input.path_limit ?? pathBranchesDefault,
              candidate_session_cap: input.candidate_session_cap ?? null,
            },
          },
          days,
        );
      },
    }),
  ],
});

function goalOf(sent: string): string {
  const goal = sent.trim();
  if (goal !== "" && codePointCount(goal) <= eventNameCharsMax) return goal;
  throw invalidField(
    "goal_event",
    `"goal_event" must be an event name of 1 to ${eventNameCharsMax} characters.`,
  );
}

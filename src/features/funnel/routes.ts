import { breakdownField, funnelSteps } from "../../domain/funnel";
import type { Goals } from "../../domain/goals/goals";
import { daysOf } from "../../domain/period";
import { emptyContext } from "../../domain/project-context";
import { filterItems, sentFilterErrors } from "../../domain/sent-filters";
import { zoneOfRead } from "../../domain/time-zone-name";
import type { Deps } from "../../http/deps";
import type { Feature } from "../../http/feature";
import { projectOperation } from "../../http/operation/account-operation";
import { pro } from "../../http/operation/facts";
import { clock } from "../../lib/clock";
import { funnelExample } from "./examples";
import { funnelRead } from "./read";
import { FunnelBody, FunnelResponse, funnelBreakdownDefault, funnelHoursDefault } from "./schema";

export const funnelFeature = (deps: Deps): Feature => ({
  operations: [
    projectOperation("POST /funnel", {
      access: pro("analytics:read", "RD"),
      shares: {},
      doc: {
        id: "getFunnel",
        summary: "Run a funnel",
        description:
          "Users or sessions that completed 2 to 8 steps in order, with conversion and time between steps, " +
          "optionally per value of a property. Warnings name likely mistakes, such as a misspelt event.",
        tag: "Reads",
        example: funnelExample,
        errors: ["INVALID_FUNNEL_STEPS", ...sentFilterErrors],
      },
      takes: FunnelBody,
      returns: { 200: FunnelResponse },
      handle: async ({ project, input, read, withAvailable, goals }) => {
        const days = daysOf({
          since: input.since,
          until: input.until,
          nowMs: clock.nowMs(),
          sinceDefault: "30d",
          zone: zoneOfRead(input.tz, project),
        });
        const { steps, filters } = await withAvailable(
          () => ({
            steps: stepsOf(deps, project.id, input, goals),
            filters: filterItems(input.filters, goals),
          }),
          days,
        );
        const { count_by: countBy = "user_id", breakdown } = input;
        return read(
          funnelRead,
          {
            projectId: project.id,
            days,
            steps,
            filters,
            countBy,
            windowHours: input.conversion_window_hours ?? funnelHoursDefault,
            breakdown: breakdown === undefined ? null : breakdownField(breakdown),
            breakdownLimit: input.breakdown_limit ?? funnelBreakdownDefault,
          },
          days,
        );
      },
    }),
  ],
});

/** The request's, or the activation events of the project's context. */
function stepsOf(
  { control }: Deps,
  projectId: string,
  { steps, from_context }: FunnelBody,
  goals: Goals,
) {
  const { activation_events } = control.contexts.ofProject(projectId) ?? emptyContext;
  return funnelSteps(steps, from_context === true, activation_events, goals);
}

import { invalidField } from "../../domain/errors";
import { filterErrors } from "../../domain/filter";
import { givenName } from "../../domain/given-name";
import { definitionOf } from "../../domain/goals/definition";
import { definitionShown } from "../../domain/goals/fields";
import type { Deps } from "../../http/deps";
import { reply } from "../../http/edge/reply";
import type { Feature } from "../../http/feature";
import { accountOperation, projectOperation } from "../../http/operation/account-operation";
import { free } from "../../http/operation/facts";
import { nothing } from "../../http/operation/input";
import type { GoalRow } from "../../store/control/goal-tables";
import { requireGoal } from "../../store/control/goals";
import { goalsExample } from "./examples";
import { DeletedGoal, Goal, GoalChange, GoalList, GoalRequest, GoalsQuery } from "./schema";

const tag = "Goals";

/** The events that a project counts as success, under names that every read takes. */
export const goalsFeature = (deps: Deps): Feature => ({
  operations: [listRoute(deps), createRoute(deps), changeRoute(deps), deleteRoute(deps)],
});

const listRoute = (deps: Deps) =>
  projectOperation("GET /goals", {
    access: free("projects:read", "D"),
    shares: {},
    doc: {
      id: "listGoals",
      summary: "List goals",
      description: 'Oldest first. Reads take one by name: {"goal": "Order"} in place of an event.',
      tag,
      example: goalsExample,
    },
    takes: GoalsQuery,
    returns: { 200: GoalList },
    handle: ({ caller, project }) => ({
      project: project.name,
      goals: deps.control.goals
        .ofProject(project.id)
        .map((row) => (caller.share === null ? viewOf(row) : { id: row.id, name: row.name })),
    }),
  });

const createRoute = (deps: Deps) =>
  projectOperation("POST /goals", {
    access: free("projects:write"),
    doc: {
      id: "createGoal",
      page: "project/goals",
      summary: "Create a goal",
      description:
        "An event or a page that counts as success. At most 30 per project. Stored events count at once.",
      tag,
      errors: ["GOAL_NAME_TAKEN", ...filterErrors, "UNAVAILABLE"],
    },
    takes: GoalRequest,
    returns: { 201: Goal },
    handle: ({ project, input: { project: _, name, ...sent } }) => {
      const made = { name: givenName(name), ...definitionOf(sent) };
      return reply(201, viewOf(deps.control.goals.add(project.id, made)));
    },
  });

const changeRoute = (deps: Deps) =>
  accountOperation("PATCH /goals/{id}", {
    access: free("projects:write"),
    doc: {
      id: "updateGoal",
      page: "project/goals",
      summary: "Change a goal",
      description:
        "Absent fields stay unchanged. event takes the place of page and the reverse; null clears value and " +
        "once_per, and an empty list the filters.",
      tag,
      errors: ["GOAL_NOT_FOUND", "GOAL_NAME_TAKEN", ...filterErrors, "UNAVAILABLE"],
    },
    takes: GoalChange,
    returns: { 200: Goal },
    checkPath: ({ caller, params }) => void requireGoal(deps.control, caller, params.id ?? ""),
    handle: ({ caller, input: { name, ...sent }, params }) => {
      const { id } = requireGoal(deps.control, caller, params.id ?? "");
      if (name === undefined && Object.keys(sent).length === 0) {
        throw invalidField("name", "Send at least one field to change.");
      }
      const changed = deps.control.goals.change(id, (before) => ({
        name: name === undefined ? before.name : givenName(name),
        ...definitionOf(sent, before),
      }));
      return viewOf(changed);
    },
  });

const deleteRoute = (deps: Deps) =>
  accountOperation("DELETE /goals/{id}", {
    access: free("projects:write"),
    doc: {
      id: "deleteGoal",
      page: "project/goals",
      summary: "Delete a goal",
      description:
        "The events stay, and so does the goal in experiments and in the filters of shares, alerts and " +
        "reports: these keep the definition that it had when they were saved.",
      tag,
      errors: ["GOAL_NOT_FOUND", "UNAVAILABLE"],
    },
    takes: nothing,
    returns: { 200: DeletedGoal },
    handle: ({ caller, params }) => {
      const { id } = requireGoal(deps.control, caller, params.id ?? "");
      deps.control.goals.drop(id);
      return { ok: true, id };
    },
  });

const viewOf = (row: GoalRow): Goal => ({
  id: row.id,
  project_id: row.projectId,
  name: row.name,
  ...definitionShown(row),
  created_at: new Date(row.createdAtMs).toISOString(),
  updated_at: new Date(row.updatedAtMs).toISOString(),
});

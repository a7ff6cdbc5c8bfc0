import { invalidField } from "../../domain/errors";
import {
  checkWinner,
  type ExperimentStatus,
  experimentStatuses,
  variantsOf,
} from "../../domain/experiment";
import { type Goal, goalInScope, goalOfDefinition, plainGoal } from "../../domain/goal";
import type { NamedGoal } from "../../domain/goals/definition";
import { daysBetween } from "../../domain/period";
import { zoneOfRead } from "../../domain/time-zone-name";
import type { Deps } from "../../http/deps";
import type { Feature } from "../../http/feature";
import { aboutProject } from "../../http/operation/about-project";
import { accountOperation, projectOperation } from "../../http/operation/account-operation";
import { pro } from "../../http/operation/facts";
import { nothing } from "../../http/operation/input";
import { clock } from "../../lib/clock";
import { didYouMean, nearest } from "../../lib/nearest";
import {
  addExperiment,
  changeExperiment,
  dropExperiment,
  findExperiment,
} from "../../store/control/experiments";
import type { ExperimentRow } from "../../store/control/tables";
import { experimentExample, experimentsExample } from "./examples";
import { experimentRead } from "./read";
import {
  DeletedExperiment,
  Experiment,
  ExperimentChange,
  ExperimentList,
  ExperimentQuery,
  ExperimentRequest,
  ExperimentsQuery,
  ExperimentWithResults,
} from "./schema";
import { viewExperiment } from "./view";

const tag = "Experiments";

/** A/B tests: set up here, assigned by the tracker, measured from ordinary events. */
export const experimentsFeature = (deps: Deps): Feature => ({
  operations: [
    createRoute(deps),
    listRoute(deps),
    resultsRoute(deps),
    changeRoute(deps),
    deleteRoute(deps),
  ],
});

const createRoute = (deps: Deps) =>
  projectOperation("POST /experiments", {
    access: pro("experiments:write"),
    doc: {
      id: "createExperiment",
      summary: "Start an A/B test",
      description:
        "It starts immediately. In the page, mark an element with `data-aa-experiment=<name>` and put the " +
        "texts of the other variants in `data-aa-variant-<key>`, or call `aa.experiment(name)` in a script. " +
        "The tracker assigns visitors and sends `$experiment_exposure`. Track `goal_event` like any event, " +
        "then read GET /experiments/{id}.",
      tag,
      errors: ["INVALID_VARIANTS", "EXPERIMENT_NAME_EXISTS", "GOAL_NOT_FOUND"],
    },
    takes: ExperimentRequest,
    returns: { 201: Experiment },
    handle: ({ project, input, caller, goals }) => {
      const { goal_event: sent } = input;
      const named = typeof sent === "string" ? null : goals.named(sent.goal);
      const experiment = addExperiment(deps.control, project.id, {
        name: input.name,
        variants: variantsOf(input.variants, input.weights),
        goalEvent: typeof sent === "string" ? sent : goalOfDefinition(goals.named(sent.goal)).event,
        goal: named && goalKept(named),
      });
      return viewExperiment({ experiment, project }, caller);
    },
  });

/** The definition as it is now, without the other fields of the goal. */
const goalKept = ({ id, name, event, page, filters, value, oncePer }: NamedGoal): NamedGoal => ({
  ...{ id, name, event, page, filters, value, oncePer },
});

const goalOfExperiment = ({ goal, goalEvent }: ExperimentRow): Goal =>
  goal === null ? plainGoal(goalEvent) : goalOfDefinition(goal);

const listRoute = (deps: Deps) =>
  projectOperation("GET /experiments", {
    access: pro("experiments:read", "RD"),
    shares: {},
    doc: {
      id: "listExperiments",
      summary: "List experiments",
      description: "Newest first, without results. GET /experiments/{id} has the results.",
      tag,
      example: experimentsExample,
    },
    takes: ExperimentsQuery,
    returns: { 200: ExperimentList },
    handle: ({ project, countRead, caller }) => {
      countRead();
      const experiments = deps.control.experiments.ofProject(project.id);
      return {
        project: project.name,
        experiments: experiments.map((experiment) =>
          viewExperiment({ experiment, project }, caller),
        ),
      };
    },
  });

const resultsRoute = (deps: Deps) =>
  accountOperation("GET /experiments/{id}", {
    access: pro("experiments:read", "RD"),
    shares: {},
    doc: {
      id: "getExperiment",
      summary: "Get an experiment with its results",
      description:
        "A user belongs to the variant of their earliest exposure, and converts with a `goal_event` at or " +
        "after it. Exposures forced by the page's address do not count. Act on `results.recommendation_code`; " +
        "`recommendation` explains it with the next call. If you check often and stop at the first winner, it " +
        "may be chance: decide in advance how long to run.",
      tag,
      example: experimentExample,
      errors: ["EXPERIMENT_NOT_FOUND"],
    },
    takes: ExperimentQuery,
    returns: { 200: ExperimentWithResults },
    handle: ({ caller, params, input, read }) => {
      const own = findExperiment(deps.control, caller, params.id ?? "");
      const { experiment, project } = own;
      const nowMs = clock.nowMs();
      const lastMs = experiment.completedAtMs ?? nowMs;
      const window = { fromMs: experiment.createdAtMs, toMs: lastMs + 1 };
      const zone = zoneOfRead(input.tz, project);
      const days = daysBetween(experiment.createdAtMs, nowMs, zone);
      const { project: _, ...context } = aboutProject(deps, project, days, input);
      const goal = goalInScope(goalOfExperiment(experiment), { ...window, zone });
      const question = { experiment: viewExperiment(own, caller), goal, window, context };
      return read(experimentRead, question, days, project);
    },
  });

const changeRoute = (deps: Deps) =>
  accountOperation("PATCH /experiments/{id}", {
    access: pro("experiments:write"),
    doc: {
      id: "updateExperiment",
      summary: "Pause, resume or complete an experiment",
      description:
        "active → paused or completed; paused → active or completed; completed is final. When you complete it, " +
        "you can name the winner; then change the page itself to show it to all visitors. Pages apply a change " +
        "within a minute.",
      tag,
      errors: ["EXPERIMENT_NOT_FOUND", "INVALID_VARIANTS", "INVALID_EXPERIMENT_STATUS"],
    },
    takes: ExperimentChange,
    returns: { 200: Experiment },
    handle: ({ caller, input, params }) => {
      const { experiment, project } = findExperiment(deps.control, caller, params.id ?? "");
      const status = statusOf(input.status);
      checkWinner(experiment.variants, status, input.winner);
      const changed = changeExperiment(deps.control, experiment.id, status, input.winner ?? null);
      return viewExperiment({ experiment: changed, project }, caller);
    },
  });

function statusOf(text: string | undefined): ExperimentStatus {
  const status = experimentStatuses.find((one) => one === text);
  if (status !== undefined) return status;
  const hint = didYouMean(nearest(text ?? "", experimentStatuses));
  const message = `"status" must be one of ${experimentStatuses.join(", ")}.${hint}`;
  throw invalidField("status", message, experimentStatuses);
}

const deleteRoute = (deps: Deps) =>
  accountOperation("DELETE /experiments/{id}", {
    access: pro("experiments:write"),
    doc: {
      id: "deleteExperiment",
      page: "experiments",
      summary: "Delete an experiment",
      description:
        "Deletes the definition and frees the name; the events stay. To keep the result, complete the " +
        "experiment instead.",
      tag,
      errors: ["EXPERIMENT_NOT_FOUND"],
    },
    takes: nothing,
    returns: { 200: DeletedExperiment },
    handle: ({ caller, params }) => {
      const { experiment } = findExperiment(deps.control, caller, params.id ?? "");
      dropExperiment(deps.control, experiment.id);
      return { ok: true, deleted: experiment.id };
    },
  });

import { Elysia } from "elysia";
import { ProjectContextBody } from "../../domain/context-fields";
import { projectContextBodyBytesMax } from "../../domain/limits";
import { emptyContext, type ProjectContext, projectContextOf } from "../../domain/project-context";
import type { Deps } from "../../http/deps";
import { projectOperation } from "../../http/operation/operation";
import type { Project } from "../../store/control/project-selector";
import { ProjectContextQuery, ProjectContextResponse, ProjectContextStored } from "./schema";

/** What the numbers of a project mean: written down once, told with every read. */
export const projectContextRoutes = (deps: Deps) =>
  new Elysia({ name: "project-context" }).use(getRoute(deps)).use(putRoute(deps));

const getRoute = (deps: Deps) =>
  projectOperation(deps, "GET /project-context", {
    doc: {
      id: "getProjectContext",
      summary: "What the numbers of a project mean",
      description:
        "Goals, the events of the main path to success, what events are called, and the product's major changes, as " +
        "people wrote them down. Reads of the project carry the same, with the annotations near their dates.",
      tag: "Context",
    },
    takes: ProjectContextQuery,
    returns: { 200: ProjectContextResponse },
    handle: ({ project }) =>
      answerOf(project, deps.control.contexts.ofProject(project.id) ?? emptyContext),
  });

const putRoute = (deps: Deps) =>
  projectOperation(deps, "PUT /project-context", {
    doc: {
      id: "putProjectContext",
      summary: "Say what the numbers of a project mean",
      description:
        "Replaces the whole context: a list that is left out becomes empty, so send back what GET /project-context " +
        "answered with your changes in it. It is for major changes of the product; no commit logs, no personal data, " +
        "no secrets, no long notes.",
      tag: "Context",
      errors: ["UNAVAILABLE"],
    },
    takes: ProjectContextBody,
    returns: { 200: ProjectContextStored },
    bodyBytesMax: projectContextBodyBytesMax,
    handle: ({ project, input: { project: _, ...sent } }) => {
      const context = projectContextOf(sent);
      deps.control.write(() => deps.control.contexts.putOfProject(project.id, context));
      return { ok: true, ...answerOf(project, context) };
    },
  });

const answerOf = ({ id, name }: Project, project_context: ProjectContext) => ({
  project: name,
  project_id: id,
  project_context,
});

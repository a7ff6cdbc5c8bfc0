import { ProjectContextBody } from "../../domain/context-fields";
import { projectContextOf } from "../../domain/project-context";
import type { Deps } from "../../http/deps";
import type { Feature } from "../../http/feature";
import { projectOperation } from "../../http/operation/account-operation";
import { free } from "../../http/operation/facts";
import { changeContext } from "../../store/control/contexts";
import { annotationRoutes } from "./annotation-routes";
import { answerOf, ifMatchHeaders, ifMatchOf } from "./answer";
import { contextExample, contextWriteExample } from "./examples";
import { ProjectContextQuery, ProjectContextResponse, ProjectContextStored } from "./schema";

export const projectContextBodyBytesMax = 512 * 1024;

/** The operations on the meaning of a project's numbers: it is written down once, and told with every read. */
export const projectContextFeature = (deps: Deps): Feature => ({
  operations: [getRoute(deps), putRoute(deps), ...annotationRoutes(deps)],
});

const getRoute = (deps: Deps) =>
  projectOperation("GET /project-context", {
    access: free("projects:read", "D"),
    // A context is texts of the project's people, and no numbers.
    shares: {},
    doc: {
      id: "getProjectContext",
      summary: "Get the project context",
      description:
        "Goals, activation events, names of events, and major changes of the product, as written by the " +
        "project's users. Reads of the project include it, with the annotations near their dates.",
      tag: "Context",
      example: contextExample,
    },
    takes: ProjectContextQuery,
    returns: { 200: ProjectContextResponse },
    handle: ({ project }) => answerOf(project, deps.control.contexts.storedOfProject(project.id)),
  });

const putRoute = (deps: Deps) =>
  projectOperation("PUT /project-context", {
    access: free("projects:write"),
    doc: {
      id: "putProjectContext",
      summary: "Replace the project context",
      description:
        "Replaces the whole context: an absent list becomes empty, so send the response of GET " +
        "/project-context back with your changes. Only for major changes of the product: no commit logs, " +
        "personal data, secrets or long notes.",
      tag: "Context",
      headers: ifMatchHeaders,
      example: contextWriteExample,
      errors: ["CONTEXT_CHANGED", "UNAVAILABLE"],
    },
    takes: ProjectContextBody,
    returns: { 200: ProjectContextStored },
    bodyBytesMax: projectContextBodyBytesMax,
    handle: ({ project, input: { project: _, updated_at: seenAtMs, ...sent }, request }) => {
      const expected = ifMatchOf(request) ?? seenAtMs?.toString();
      const written = changeContext(deps.control, project.id, expected, (current) => ({
        context: projectContextOf(sent, current),
      }));
      return { ok: true, ...answerOf(project, written) };
    },
  });

/*
 * A context is one row, its annotations included.
 * Decision: annotations stay in the JSON of the context, each with an id; one is found by looking for its id in the
 * texts of contexts, and then in the parsed one.
 * Because: every read of a project asks for the whole context, and single annotations are written by hand.
 * Cost: a PATCH looks through the contexts of the server, which takes milliseconds with thousands of projects.
 * Revisit: when programs write annotations.
 */

import { type Caller, isReadable } from "../../domain/caller";
import { AnnotationBody, AnnotationChange } from "../../domain/context-fields";
import { ApiError, invalidField } from "../../domain/errors";
import { annotationsMax } from "../../domain/limits";
import {
  type Annotation,
  withAnnotation,
  withChangedAnnotation,
  withoutAnnotation,
} from "../../domain/project-context";
import type { Deps } from "../../http/deps";
import { reply } from "../../http/edge/reply";
import { accountOperation, projectOperation } from "../../http/operation/account-operation";
import { free } from "../../http/operation/facts";
import { nothing } from "../../http/operation/input";
import { changeContext } from "../../store/control/contexts";
import type { Control } from "../../store/control/control";
import { answerOf, ifMatchHeaders, ifMatchOf } from "./answer";
import { AnnotationDeleted, AnnotationStored } from "./schema";

/** Annotations one by one: two people who each write one do not take away the other's. */
export const annotationRoutes = (deps: Deps) => [
  createRoute(deps),
  changeRoute(deps),
  deleteRoute(deps),
];

const tag = "Context";

const createRoute = (deps: Deps) =>
  projectOperation("POST /project-context/annotations", {
    access: free("projects:write"),
    doc: {
      id: "createAnnotation",
      summary: "Create an annotation",
      description:
        "For a major change of the product. Reads of nearby dates include it. The rest of the context stays " +
        "unchanged, so you need not read it first.",
      tag,
      headers: ifMatchHeaders,
      errors: ["CONTEXT_CHANGED", "UNAVAILABLE"],
    },
    takes: AnnotationBody,
    returns: { 201: AnnotationStored },
    handle: ({ project, input: { project: _, ...sent }, request }) => {
      const written = changeContext(deps.control, project.id, ifMatchOf(request), (context) => {
        if (context.annotations.length < annotationsMax) return withAnnotation(context, sent);
        const message = `A project can have at most ${annotationsMax} annotations. Delete an old one first.`;
        throw invalidField("annotations", message);
      });
      const { annotation } = written;
      return reply(201, { ok: true, ...answerOf(project, written), annotation });
    },
  });

const changeRoute = (deps: Deps) =>
  accountOperation("PATCH /project-context/annotations/{id}", {
    access: free("projects:write"),
    doc: {
      id: "updateAnnotation",
      summary: "Change an annotation",
      description: "Absent fields stay unchanged; an empty note removes the note.",
      tag,
      headers: ifMatchHeaders,
      errors: ["NOT_FOUND", "CONTEXT_CHANGED", "UNAVAILABLE"],
    },
    takes: AnnotationChange,
    returns: { 200: AnnotationStored },
    handle: ({ caller, input, params, request }) => {
      const { project, id } = findAnnotation(deps.control, caller, params.id ?? "");
      if (Object.keys(input).length === 0) {
        throw invalidField("title", "Send `occurred_at`, `title` or `note`.");
      }
      const written = changeContext(deps.control, project.id, ifMatchOf(request), (context) =>
        withChangedAnnotation(context, ofContext(context.annotations, id), input),
      );
      return { ok: true, ...answerOf(project, written), annotation: written.annotation };
    },
  });

const deleteRoute = (deps: Deps) =>
  accountOperation("DELETE /project-context/annotations/{id}", {
    access: free("projects:write"),
    doc: {
      id: "deleteAnnotation",
      summary: "Delete an annotation",
      description: "Reads no longer include it. The rest of the context stays unchanged.",
      tag,
      headers: ifMatchHeaders,
      errors: ["NOT_FOUND", "CONTEXT_CHANGED", "UNAVAILABLE"],
    },
    takes: nothing,
    returns: { 200: AnnotationDeleted },
    handle: ({ caller, params, request }) => {
      const { project, id } = findAnnotation(deps.control, caller, params.id ?? "");
      const written = changeContext(deps.control, project.id, ifMatchOf(request), (context) => {
        ofContext(context.annotations, id);
        return { context: withoutAnnotation(context, id) };
      });
      return { ok: true, deleted: id, ...answerOf(project, written) };
    },
  });

/**
 * Finds an annotation by its id alone, which one project has. Throws NOT_FOUND, and FORBIDDEN for another account's.
 */
function findAnnotation({ contexts, projects }: Control, caller: Caller, id: string) {
  for (const projectId of /^ann_[a-z0-9]{16}$/.test(id) ? contexts.mentioning(id) : []) {
    const project = projects.byId(projectId);
    const { annotations } = contexts.storedOfProject(projectId).context;
    if (project === undefined || !annotations.some((one) => one.id === id)) continue;
    if (isReadable(caller, project)) return { project, id };
    throw new ApiError("FORBIDDEN", "This annotation belongs to another account.");
  }
  throw notFound();
}

/** Looks for it again within the write, as somebody may have deleted it meanwhile. */
function ofContext(annotations: readonly Annotation[], id: string): Annotation {
  const found = annotations.find((one) => one.id === id);
  if (found === undefined) throw notFound();
  return found;
}

const notFound = (): ApiError =>
  new ApiError("NOT_FOUND", "This annotation does not exist. GET /project-context lists them.");

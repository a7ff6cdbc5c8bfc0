import Type from "typebox";
import { Annotation, WholeContext } from "../../domain/context-fields";
import { ObjectId, ProjectName, ProjectSelector } from "../../domain/fields";
import { schema } from "../../lib/schema";

export const ProjectContextQuery = schema(
  Type.Object({ project: ProjectSelector }, { $id: "ProjectContextQuery" }),
);

const answer = {
  project: ProjectName,
  project_id: ObjectId,
  project_context: WholeContext,
};
export const ProjectContextResponse = schema(
  Type.Object(answer, { $id: "ProjectContextResponse" }),
);
export const ProjectContextStored = schema(
  Type.Object({ ok: Type.Literal(true), ...answer }, { $id: "ProjectContextStored" }),
);

export const AnnotationStored = schema(
  Type.Object(
    { ok: Type.Literal(true), ...answer, annotation: Annotation },
    { $id: "AnnotationStored" },
  ),
);
export const AnnotationDeleted = schema(
  Type.Object(
    { ok: Type.Literal(true), deleted: ObjectId, ...answer },
    { $id: "AnnotationDeleted" },
  ),
);

import Type from "typebox";
import { ProjectContext } from "../../domain/context-fields";
import { ObjectId, ProjectSelector } from "../../domain/fields";
import { projectNameCharsMax } from "../../domain/limits";
import { schema } from "../../lib/schema";

export const ProjectContextQuery = schema(
  Type.Object({ project: ProjectSelector }, { $id: "ProjectContextQuery" }),
);

const answer = {
  project: Type.String({ maxLength: projectNameCharsMax }),
  project_id: ObjectId,
  project_context: ProjectContext,
};
export const ProjectContextResponse = schema(
  Type.Object(answer, { $id: "ProjectContextResponse" }),
);
export const ProjectContextStored = schema(
  Type.Object({ ok: Type.Literal(true), ...answer }, { $id: "ProjectContextStored" }),
);

import Type from "typebox";
import { schema } from "../../lib/schema";

/** Agent Skills Discovery, version 0.2.0. */
export const SkillIndex = schema(
  Type.Object(
    {
      $schema: Type.Literal("https://schemas.agentskills.io/discovery/0.2.0/schema.json"),
      skills: Type.Array(
        Type.Object({
          name: Type.Literal("sightline"),
          type: Type.Literal("skill-md"),
          description: Type.String({ pattern: "^[ -~]{1,1024}$" }),
          url: Type.String({ format: "uri" }),
          digest: Type.String({ pattern: "^sha256:[0-9a-f]{64}$" }),
        }),
      ),
    },
    { $id: "SkillIndex" },
  ),
);

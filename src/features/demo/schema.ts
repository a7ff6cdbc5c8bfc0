import Type from "typebox";
import { ObjectId, ProjectName, Timestamp } from "../../domain/fields";
import { ofServer, schema } from "../../lib/schema";

export const DemoSession = schema(
  Type.Object(
    {
      ok: Type.Literal(true),
      mode: Type.Literal("demo"),
      agent_session: Type.Object({
        id: ObjectId,
        access_token: Type.String({
          ...ofServer,
          maxLength: 52,
          description:
            "For `Authorization: Bearer`. It has no refresh token: request a new session instead.",
        }),
        access_expires_at: Timestamp,
        scopes: Type.Array(Type.String({ ...ofServer, maxLength: 32 }), { maxItems: 10 }),
      }),
      projects: Type.Array(Type.Object({ id: ObjectId, name: ProjectName }), { maxItems: 1 }),
    },
    { $id: "DemoSession" },
  ),
);

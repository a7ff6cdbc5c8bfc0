import Type from "typebox";
import { ObjectId, Timestamp } from "../../domain/fields";
import { projectNameCharsMax } from "../../domain/limits";
import { schema } from "../../lib/schema";

export const DemoSession = schema(
  Type.Object(
    {
      ok: Type.Literal(true),
      mode: Type.Literal("demo"),
      agent_session: Type.Object({
        id: ObjectId,
        access_token: Type.String({
          maxLength: 52,
          description: "For `Authorization: Bearer`. There is no refresh token: ask again.",
        }),
        access_expires_at: Timestamp,
        scopes: Type.Array(Type.String({ maxLength: 32 }), { maxItems: 10 }),
      }),
      projects: Type.Array(
        Type.Object({ id: ObjectId, name: Type.String({ maxLength: projectNameCharsMax }) }),
        { maxItems: 1 },
      ),
    },
    { $id: "DemoSession" },
  ),
);

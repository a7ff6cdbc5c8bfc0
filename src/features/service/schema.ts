import Type from "typebox";
import { ofServer, schema } from "../../lib/schema";

export const Health = schema(
  Type.Object(
    {
      status: Type.Literal("ok"),
      service: Type.Literal("sightline"),
      version: Type.String(ofServer),
    },
    { $id: "Health" },
  ),
);

const check = Type.Enum(["ok", "failed"]);
const checks = Type.Object({ storage: check, queue: check, clock: check, disk: check });

export const Ready = schema(Type.Object({ status: Type.Literal("ok"), checks }, { $id: "Ready" }));
export const NotReady = schema(
  Type.Object({ status: Type.Literal("unavailable"), checks }, { $id: "NotReady" }),
);

export const OpenApiQuery = schema(
  Type.Object(
    {
      tag: Type.Optional(
        Type.String({
          maxLength: 1000,
          description: "Comma-separated tags; `all` or no value returns all operations.",
        }),
      ),
    },
    { $id: "OpenApiQuery" },
  ),
);

export const OpenApiDocument = schema(
  Type.Object(
    { openapi: Type.String(ofServer), info: Type.Unknown(ofServer), paths: Type.Unknown(ofServer) },
    {
      $id: "OpenApiDocument",
      description: "An OpenAPI 3.1 document.",
      additionalProperties: true,
    },
  ),
);

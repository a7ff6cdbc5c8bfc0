import Type from "typebox";
import { schema } from "../lib/schema";

const MessageId = Type.Union([Type.String(), Type.Number()]);

/** A message as clients of the protocol send it. Its shape is checked by the protocol's own rules and codes. */
export const McpMessage = schema(
  Type.Object(
    {
      jsonrpc: Type.Literal("2.0"),
      id: Type.Optional(Type.Unknown()),
      method: Type.String(),
      params: Type.Optional(Type.Unknown()),
    },
    { $id: "McpMessage" },
  ),
);

export const McpAnswer = schema(
  Type.Object(
    {
      jsonrpc: Type.Literal("2.0"),
      id: MessageId,
      result: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
      error: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    },
    { $id: "McpAnswer" },
  ),
);

export const McpError = schema(
  Type.Object(
    {
      jsonrpc: Type.Literal("2.0"),
      id: Type.Union([MessageId, Type.Null()]),
      error: Type.Object({
        code: Type.Integer(),
        message: Type.String(),
        data: Type.Optional(Type.Unknown()),
      }),
    },
    { $id: "McpError" },
  ),
);

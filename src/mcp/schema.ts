import Type from "typebox";
import { ofOwner, ofServer, ofVisitors, schema } from "../lib/schema";

/** The id that the client sent. */
const MessageId = Type.Union([Type.String(ofOwner), Type.Number()]);

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

/** The answers of operations; `untrusted` in them says which parts visitors wrote. */
const ofTools = Type.Optional(Type.Unknown(ofVisitors));
export const McpAnswer = schema(
  Type.Object(
    {
      jsonrpc: Type.Literal("2.0"),
      id: MessageId,
      result: Type.Optional(
        Type.Object(
          { content: ofTools, structuredContent: ofTools, contents: ofTools },
          { additionalProperties: Type.Unknown(ofServer) },
        ),
      ),
      error: Type.Optional(Type.Record(Type.String(), Type.Unknown(), ofServer)),
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
        message: Type.String(ofServer),
        data: Type.Optional(Type.Unknown(ofServer)),
      }),
    },
    { $id: "McpError" },
  ),
);

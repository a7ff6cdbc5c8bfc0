import Type, { type Static } from "typebox";
import { Count, ObjectId, Timestamp } from "../../domain/fields";
import { sourceKeyCharsMax, sourceKinds, sourcesPerProjectMax } from "../../domain/source";
import { ofOwner, ofServer, schema } from "../../lib/schema";

const keyCharsMax = 1_024;
const codeCharsMax = 64;

const Kind = Type.Enum([...sourceKinds], {
  description: "The product whose clients send to it.",
});
const Code = Type.String({ ...ofServer, maxLength: codeCharsMax });

export const Source = schema(
  Type.Object(
    {
      id: ObjectId,
      kind: Kind,
      key: Type.Union([
        Type.String({ ...ofOwner, maxLength: sourceKeyCharsMax }),
        Type.Null({ description: "It works by its `url` alone." }),
      ]),
      url: Type.String({
        ...ofServer,
        description: "The address that clients use instead of the other server's.",
      }),
      created_at: Timestamp,
      last24h: Type.Object(
        {
          accepted: Count,
          filtered: Type.Integer({ minimum: 0, description: "Automated, or set aside." }),
          unsupported: Type.Integer({ minimum: 0, description: "Messages that are no events." }),
          refused: Type.Record(Type.String(ofServer), Count, { description: "By code." }),
        },
        { description: "Items of the last 24 hours, as far as this server has run." },
      ),
      last_event_at: Type.Union([Timestamp, Type.Null()]),
      last_refusal: Type.Union([
        Type.Object({
          code: Code,
          field: Type.Optional(Type.String({ ...ofServer, maxLength: codeCharsMax })),
          at: Timestamp,
        }),
        Type.Null(),
      ]),
    },
    { $id: "Source" },
  ),
);
export type Source = Static<typeof Source>;

export const SourceList = schema(
  Type.Object(
    { sources: Type.Array(Source, { maxItems: sourcesPerProjectMax }) },
    { $id: "SourceList" },
  ),
);

export const SourceRequest = schema(
  Type.Object(
    {
      kind: Kind,
      key: Type.Optional(
        Type.String({
          maxLength: keyCharsMax,
          description:
            "The project's key in that product. Only a server that took over the other one's host name needs it.",
        }),
      ),
    },
    { $id: "SourceRequest", examples: [{ kind: "plausible", key: "shop.example" }] },
  ),
);

export const DeletedSource = schema(
  Type.Object({ ok: Type.Literal(true), deleted: ObjectId }, { $id: "DeletedSource" }),
);

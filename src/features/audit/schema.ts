import Type, { type Static } from "typebox";
import { actorKinds, auditActions } from "../../domain/audit";
import { IsoTime, ObjectId, Since, Until } from "../../domain/fields";
import { cursorCharsMax, emailCharsMax, pageLimitDefault, pageLimitMax } from "../../domain/limits";
import { ofOwner, ofServer, pageSize, schema } from "../../lib/schema";

const limit = { min: 1, max: pageLimitMax, default: pageLimitDefault };
const Cursor = Type.String({ ...ofServer, maxLength: cursorCharsMax });
const Action = Type.Enum([...auditActions]);

export const AuditQuery = schema(
  Type.Object(
    {
      since: Type.Optional(Since),
      until: Type.Optional(Until),
      action: Type.Optional(Action),
      actor: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: emailCharsMax,
          description: "The id or the email address of the person who did it.",
        }),
      ),
      limit: Type.Optional(pageSize(limit, "Entries per page.")),
      cursor: Type.Optional(Cursor),
    },
    { $id: "AuditQuery" },
  ),
);
export type AuditQuery = Static<typeof AuditQuery>;

export const AuditItem = Type.Object({
  id: ObjectId,
  at: IsoTime,
  actor: Type.Object(
    {
      id: Type.Optional(ObjectId),
      email: Type.Optional(Type.String(ofOwner)),
      kind: Type.Enum([...actorKinds]),
    },
    { description: "The person, and the credential: a command or the server has no person." },
  ),
  action: Action,
  target: Type.Object({
    type: Type.String(ofServer),
    id: Type.String(ofServer),
    name: Type.Optional(Type.String(ofOwner)),
  }),
  details: Type.Record(Type.String(), Type.Unknown(), ofOwner),
  network: Type.Optional(
    Type.String({ ...ofServer, description: "Sign-ins alone: 24 bits of IPv4 or 48 of IPv6." }),
  ),
});
export type AuditItem = Static<typeof AuditItem>;

export const AuditLog = schema(
  Type.Object(
    {
      entries: Type.Array(AuditItem, { maxItems: pageLimitMax, description: "Newest first." }),
      next_cursor: Type.Union([Cursor, Type.Null()], {
        description: "Send it as `cursor` for the next page; null on the last page.",
      }),
    },
    { $id: "AuditLog" },
  ),
);

import Type, { type Static } from "typebox";
import { Count, Email, IsoTime, ObjectId, ProjectSelector, UserId } from "../../domain/fields";
import { ofOwner, ofServer, orNull, schema } from "../../lib/schema";

const referenceCharsMax = 64;
const confirmCharsMax = 128;

/** Names a person: by an id of theirs, or by an address that came with one. */
const named = {
  project: ProjectSelector,
  user_id: Type.Optional(UserId),
  email: Type.Optional(Email),
  portfolio: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        "true: in every project of the project's portfolio that you may see. Default: in this project alone.",
    }),
  ),
};

export const PersonExportRequest = schema(Type.Object(named, { $id: "PersonExportRequest" }));
export type PersonExportRequest = Static<typeof PersonExportRequest>;

export const PersonEraseRequest = schema(
  Type.Object(
    {
      ...named,
      dry_run: Type.Optional(
        Type.Boolean({
          default: true,
          description: "true: only count, and get `confirm`.",
        }),
      ),
      confirm: Type.Optional(
        Type.String({
          maxLength: confirmCharsMax,
          description: "That of the preview, with `dry_run: false`. Good for 15 minutes.",
        }),
      ),
      block: Type.Optional(
        Type.Boolean({
          default: false,
          description:
            "true: later events of these ids are excluded, for good. Default: an id that comes again is a new " +
            "visitor.",
        }),
      ),
      reference: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: referenceCharsMax,
          description: "Your own name for the request, such as the number of a ticket.",
        }),
      ),
    },
    { $id: "PersonEraseRequest" },
  ),
);
export type PersonEraseRequest = Static<typeof PersonEraseRequest>;

const counts = {
  ids: Count,
  events: Count,
  sessions: Count,
  replays: Count,
  held: Count,
  traits: Count,
};

export const ErasurePreview = schema(
  Type.Object(
    {
      ...counts,
      first_at: orNull(IsoTime),
      last_at: orNull(IsoTime),
      confirm: Type.String({ ...ofServer, maxLength: confirmCharsMax }),
    },
    { $id: "ErasurePreview" },
  ),
);

const erasure = {
  id: ObjectId,
  project: ObjectId,
  reference: orNull(Type.String({ ...ofOwner, maxLength: referenceCharsMax })),
  by: orNull(
    Type.String({ ...ofOwner, maxLength: 254, description: "The address of who asked for it." }),
  ),
  requested_at: IsoTime,
  hidden_at: orNull(IsoTime),
  erased_at: Type.Optional(IsoTime),
  blocked: Type.Boolean({ description: "Later events of the ids are not stored." }),
  state: Type.Enum(["running", "done"]),
  counts: Type.Object(counts),
  backups_until: orNull(IsoTime),
};
export const Erasure = schema(Type.Object(erasure, { $id: "Erasure" }));
export type Erasure = Static<typeof Erasure>;
export const ErasureList = schema(
  Type.Object(
    { erasures: Type.Array(Type.Object(erasure), { maxItems: 1_000 }) },
    { $id: "ErasureList" },
  ),
);

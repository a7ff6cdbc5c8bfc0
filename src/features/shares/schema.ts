import Type, { type Static } from "typebox";
import { IsoTime, ObjectId, ProjectName, ProjectSelector, timeCharsMax } from "../../domain/fields";
import { StoredGoals } from "../../domain/goals/fields";
import { originCharsMax, passwordCharsMax, queryFiltersMax } from "../../domain/limits";
import {
  frameOriginsMax,
  sharePages,
  sharesPerProjectMax,
  viewNameCharsMax,
} from "../../domain/share";
import { ofOwner, ofServer, schema, trimmed } from "../../lib/schema";

const wordCharsMax = 200;
/** The words in a request, repeats among them. */
const wordsMax = 50;
/** Checked item by item in domain/filter-items.ts, as those of a read are; POST /query describes them. */
const Filters = Type.Array(Type.Unknown(ofOwner), {
  maxItems: queryFiltersMax,
  description: "Filters as in POST /query. They apply to every read, in addition to its own.",
});

export const Share = schema(
  Type.Object(
    {
      id: ObjectId,
      project_id: ObjectId,
      name: Type.String({ ...ofOwner, maxLength: viewNameCharsMax }),
      url: Type.String({
        ...ofServer,
        description: "Address for a browser. Its last part is the token for programs.",
      }),
      pages: Type.Array(Type.Enum([...sharePages]), { maxItems: sharePages.length }),
      filters: Filters,
      goals: StoredGoals,
      frame: Type.Array(Type.String({ ...ofOwner, maxLength: originCharsMax }), {
        maxItems: frameOriginsMax,
      }),
      has_password: Type.Boolean(),
      created_at: IsoTime,
      expires_at: Type.Union([IsoTime, Type.Null()]),
    },
    { $id: "Share" },
  ),
);
export type Share = Static<typeof Share>;

export const SharesQuery = schema(
  Type.Object(
    { project: ProjectSelector },
    { $id: "SharesQuery", examples: [{ project: "shop" }] },
  ),
);
export const ShareList = schema(
  Type.Object(
    {
      project: ProjectName,
      shares: Type.Array(Share, { maxItems: sharesPerProjectMax }),
    },
    { $id: "ShareList" },
  ),
);
export const ShareRequest = schema(
  Type.Object(
    {
      project: ProjectSelector,
      name: trimmed({ minLength: 1, maxLength: viewNameCharsMax }),
      pages: Type.Optional(
        Type.Array(Type.String({ maxLength: wordCharsMax }), {
          maxItems: wordsMax,
          description: `Pages about individual visitors to include: ${sharePages.join(", ")}.`,
        }),
      ),
      filters: Type.Optional(Filters),
      frame: Type.Optional(
        Type.Array(Type.String({ maxLength: originCharsMax }), {
          description: `Origins whose pages may embed the shared page in a frame, at most ${frameOriginsMax}.`,
        }),
      ),
      expires_at: Type.Optional(
        Type.String({
          maxLength: timeCharsMax,
          description: "ISO date-time. Default: until revoked.",
        }),
      ),
      password: Type.Optional(Type.String({ minLength: 1, maxLength: passwordCharsMax })),
    },
    {
      $id: "ShareRequest",
      examples: [
        {
          project: "shop",
          name: "For the agency",
          filters: [{ field: "country", op: "eq", value: "DE" }],
          frame: ["https://agency.example"],
          expires_at: "2027-01-01T00:00:00Z",
        },
      ],
    },
  ),
);
export const DeletedShare = schema(
  Type.Object({ ok: Type.Literal(true), deleted: ObjectId }, { $id: "DeletedShare" }),
);

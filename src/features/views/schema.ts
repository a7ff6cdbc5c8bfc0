import Type, { type Static } from "typebox";
import { IsoTime, ObjectId, ProjectName, ProjectSelector } from "../../domain/fields";
import { viewAddressCharsMax, viewNameCharsMax, viewsPerProjectMax } from "../../domain/share";
import { ofOwner, schema, trimmed } from "../../lib/schema";

const Name = trimmed({ minLength: 1, maxLength: viewNameCharsMax });
const Address = Type.String({
  ...ofOwner,
  minLength: 1,
  maxLength: viewAddressCharsMax,
  description: "Path and query of a dashboard page, such as `/app?project=shop`.",
});

export const View = schema(
  Type.Object(
    {
      id: ObjectId,
      project_id: ObjectId,
      name: Type.String({ ...ofOwner, maxLength: viewNameCharsMax }),
      address: Address,
      created_at: IsoTime,
      updated_at: IsoTime,
    },
    { $id: "View" },
  ),
);
export type View = Static<typeof View>;

export const ViewsQuery = schema(
  Type.Object({ project: ProjectSelector }, { $id: "ViewsQuery", examples: [{ project: "shop" }] }),
);
export const ViewList = schema(
  Type.Object(
    {
      project: ProjectName,
      views: Type.Array(View, { maxItems: viewsPerProjectMax }),
    },
    { $id: "ViewList" },
  ),
);
export const ViewRequest = schema(
  Type.Object(
    { project: ProjectSelector, name: Name, address: Address },
    {
      $id: "ViewRequest",
      examples: [{ project: "shop", name: "Germany, 30 days", address: "/app?project=shop&c=DE" }],
    },
  ),
);
export const ViewChange = schema(
  Type.Object(
    { name: Type.Optional(Name), address: Type.Optional(Address) },
    { $id: "ViewChange", examples: [{ name: "Germany" }] },
  ),
);
export const DeletedView = schema(
  Type.Object({ ok: Type.Literal(true), deleted: ObjectId }, { $id: "DeletedView" }),
);

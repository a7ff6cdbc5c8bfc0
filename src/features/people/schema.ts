import Type, { type Static } from "typebox";
import { Email, ProjectSelector, UserId } from "../../domain/fields";
import { schema } from "../../lib/schema";

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

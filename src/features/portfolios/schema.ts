import Type, { type Static } from "typebox";
import { ObjectId, ProjectName, Timestamp } from "../../domain/fields";
import { portfolioProjectsMax, projectNameCharsMax } from "../../domain/limits";
import { ofOwner, schema } from "../../lib/schema";

export const portfolioNameCharsMax = 120;

const slugPattern = "^[a-z0-9][a-z0-9-]{0,63}$";
const slugCharsMax = 64;

const Name = Type.String({
  minLength: 1,
  maxLength: portfolioNameCharsMax,
  description: "Display name.",
});
const Projects = Type.Array(Type.String({ minLength: 1, maxLength: projectNameCharsMax }), {
  maxItems: portfolioProjectsMax,
  description: "Members by id or name. PATCH replaces the previous list.",
});
const AllowMove = Type.Boolean({
  default: false,
  description: "True moves projects out of other portfolios.",
});

export const PortfolioRequest = schema(
  Type.Object(
    {
      slug: Type.String({
        pattern: slugPattern,
        maxLength: slugCharsMax,
        description:
          "Identifies it in paths: 1 to 64 of a-z, 0-9 and -, not beginning with -. It cannot be changed.",
      }),
      name: Name,
      projects: Type.Optional(Projects),
      allow_move: Type.Optional(AllowMove),
    },
    { $id: "PortfolioRequest" },
  ),
);

export const PortfolioChange = schema(
  Type.Object(
    {
      name: Type.Optional(Name),
      projects: Type.Optional(Projects),
      allow_move: Type.Optional(AllowMove),
    },
    { $id: "PortfolioChange" },
  ),
);

export const Portfolio = schema(
  Type.Object(
    {
      id: ObjectId,
      account_id: ObjectId,
      slug: Type.String({ pattern: slugPattern, maxLength: slugCharsMax }),
      name: Type.String({ ...ofOwner, maxLength: portfolioNameCharsMax }),
      created_at: Timestamp,
      updated_at: Timestamp,
      members: Type.Array(
        Type.Object({
          project_id: ObjectId,
          project: { ...ProjectName, description: "Its name." },
          added_at: Timestamp,
        }),
        { maxItems: portfolioProjectsMax },
      ),
    },
    { $id: "Portfolio" },
  ),
);
export type Portfolio = Static<typeof Portfolio>;

export const PortfolioList = schema(
  Type.Object({ portfolios: Type.Array(Portfolio) }, { $id: "PortfolioList" }),
);

export const DeletedPortfolio = schema(
  Type.Object({ ok: Type.Literal(true), deleted: ObjectId }, { $id: "DeletedPortfolio" }),
);

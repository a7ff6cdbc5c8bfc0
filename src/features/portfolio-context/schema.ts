import Type, { type Static } from "typebox";
import { Goals, Milestones } from "../../domain/context-fields";
import { ObjectId } from "../../domain/fields";
import { definitionCharsMax } from "../../domain/limits";
import { ofOwner, schema, trimmed } from "../../lib/schema";

const surfacesMax = 20;
const surfaceProjectCharsMax = 96;
const surfaceRoleCharsMax = 120;
const portfolioGlossaryMax = 12;
const portfolioTermCharsMax = 80;

const text = (charsMax: number) => trimmed({ ...ofOwner, minLength: 1, maxLength: charsMax });
const closed = { additionalProperties: false };

const context = {
  goals: Goals,
  surface_roles: Type.Array(
    Type.Object({ project: text(surfaceProjectCharsMax), role: text(surfaceRoleCharsMax) }, closed),
    { maxItems: surfacesMax, description: "Purpose of each site or app; `project` is free text." },
  ),
  shared_milestones: Milestones,
  glossary: Type.Array(
    Type.Object(
      { term: text(portfolioTermCharsMax), definition: text(definitionCharsMax) },
      closed,
    ),
    { maxItems: portfolioGlossaryMax, description: "Terms with the same meaning in all projects." },
  ),
};

export const PortfolioContext = schema(
  Type.Object(context, { $id: "PortfolioContext", ...closed }),
);
export type PortfolioContext = Static<typeof PortfolioContext>;

export const PortfolioContextBody = schema(
  Type.Object(
    {
      goals: Type.Optional(context.goals),
      surface_roles: Type.Optional(context.surface_roles),
      shared_milestones: Type.Optional(context.shared_milestones),
      glossary: Type.Optional(context.glossary),
    },
    { $id: "PortfolioContextBody", ...closed },
  ),
);

const answer = {
  account_id: ObjectId,
  portfolio_context: PortfolioContext,
};
export const PortfolioContextResponse = schema(
  Type.Object(answer, { $id: "PortfolioContextResponse" }),
);
export const PortfolioContextStored = schema(
  Type.Object({ ok: Type.Literal(true), ...answer }, { $id: "PortfolioContextStored" }),
);

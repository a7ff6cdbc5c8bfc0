import type { Caller } from "../../domain/caller";
import { givenName } from "../../domain/given-name";
import type { Deps } from "../../http/deps";
import type { Feature } from "../../http/feature";
import { accountOperation } from "../../http/operation/account-operation";
import { free } from "../../http/operation/facts";
import { nothing } from "../../http/operation/input";
import { audited, entryOf } from "../../store/control/audit";
import type { Control } from "../../store/control/control";
import {
  addPortfolio,
  changePortfolio,
  dropPortfolio,
  findPortfolio,
  shownPortfolios,
} from "../../store/control/portfolios";
import type { PortfolioRow } from "../../store/control/tables";
import { portfolioExample, portfoliosExample } from "./examples";
import {
  DeletedPortfolio,
  Portfolio,
  PortfolioChange,
  PortfolioList,
  PortfolioRequest,
} from "./schema";

/** Groups of projects whose users may be the same people. */
export const portfoliosFeature = (deps: Deps): Feature => ({
  operations: [
    listRoute(deps),
    createRoute(deps),
    portfolioRoute(deps),
    changeRoute(deps),
    deleteRoute(deps),
  ],
});

const listRoute = (deps: Deps) =>
  accountOperation("GET /portfolios", {
    access: free("projects:read", "D"),
    doc: {
      id: "listPortfolios",
      summary: "List portfolios",
      description: "Oldest first, each with its members.",
      tag: "Projects",
      example: portfoliosExample,
    },
    takes: nothing,
    returns: { 200: PortfolioList },
    handle: ({ caller }) => {
      const rows = shownPortfolios(deps.control, caller);
      return { portfolios: rows.map((row) => view(deps.control, row)) };
    },
  });

const createRoute = (deps: Deps) =>
  accountOperation("POST /portfolios", {
    access: free("projects:write", "", { role: "admin" }),
    doc: {
      id: "createPortfolio",
      summary: "Create a portfolio",
      description:
        "Groups projects that share users. Ids and emails that one member links with /identify are then looked " +
        "up in all members: POST /journey/lookup returns events from all of them. Each project keeps its own " +
        "events and numbers. A project can be in one portfolio.",
      tag: "Projects",
      errors: ["NOT_FOUND", "PORTFOLIO_SLUG_EXISTS", "PROJECT_IN_OTHER_PORTFOLIO", "UNAVAILABLE"],
    },
    takes: PortfolioRequest,
    returns: { 201: Portfolio },
    handle: ({ caller, input }) => {
      const { slug, projects = [], allow_move: allowMove = false } = input;
      const made = { slug, name: givenName(input.name), projects, allowMove };
      const added = audited(
        deps.control,
        () => addPortfolio(deps.control, caller, made),
        (row) => portfolioEntry(caller, row, { made: true, projects: projects.length }),
      );
      return view(deps.control, added);
    },
  });

const portfolioRoute = (deps: Deps) =>
  accountOperation("GET /portfolios/{idOrSlug}", {
    access: free("projects:read", "D"),
    doc: {
      id: "getPortfolio",
      summary: "Get a portfolio",
      description: "`{idOrSlug}` is the portfolio's id or its slug.",
      tag: "Projects",
      example: portfolioExample,
      errors: ["NOT_FOUND"],
    },
    takes: nothing,
    returns: { 200: Portfolio },
    handle: ({ caller, params }) =>
      view(deps.control, findPortfolio(deps.control, caller, params.idOrSlug ?? "")),
  });

const changeRoute = (deps: Deps) =>
  accountOperation("PATCH /portfolios/{idOrSlug}", {
    access: free("projects:write", "", { role: "admin" }),
    doc: {
      id: "updatePortfolio",
      summary: "Rename a portfolio or replace its members",
      description:
        "`projects` replaces the whole list: other members leave, and their links between users are removed " +
        "from the portfolio. A refused request changes nothing.",
      tag: "Projects",
      errors: ["NOT_FOUND", "PROJECT_IN_OTHER_PORTFOLIO", "UNAVAILABLE"],
    },
    takes: PortfolioChange,
    returns: { 200: Portfolio },
    handle: ({ caller, input, params }) => {
      const { projects, allow_move: allowMove = false } = input;
      const change = {
        name: input.name === undefined ? undefined : givenName(input.name),
        members: projects === undefined ? null : { projects, allowMove },
      };
      const changed = audited(
        deps.control,
        () => changePortfolio(deps.control, caller, params.idOrSlug ?? "", change),
        (row) =>
          input.name === undefined && projects === undefined
            ? null
            : portfolioEntry(caller, row, {
                ...(projects !== undefined && { projects: projects.length }),
              }),
      );
      return view(deps.control, changed);
    },
  });

const deleteRoute = (deps: Deps) =>
  accountOperation("DELETE /portfolios/{idOrSlug}", {
    access: free("projects:write", "", { role: "admin" }),
    doc: {
      id: "deletePortfolio",
      summary: "Delete a portfolio",
      description: "Its projects stay unchanged, and lookups use each project alone again.",
      tag: "Projects",
      errors: ["NOT_FOUND", "UNAVAILABLE"],
    },
    takes: nothing,
    returns: { 200: DeletedPortfolio },
    handle: ({ caller, params }) => {
      const { control } = deps;
      const { name } = findPortfolio(control, caller, params.idOrSlug ?? "");
      const deleted = audited(
        control,
        () => dropPortfolio(control, caller, params.idOrSlug ?? ""),
        (id) => portfolioEntry(caller, { id, name }, { deleted: true }),
      );
      return { ok: true, deleted };
    },
  });

/** A portfolio concerns several projects, so its changes are those of the account. */
const portfolioEntry = (
  caller: Caller,
  { id, name }: Pick<PortfolioRow, "id" | "name">,
  details: Readonly<Record<string, unknown>>,
) => entryOf(caller, "account_changed", { type: "portfolio", id, name }, { details });

const view = ({ memberships }: Control, row: PortfolioRow): Portfolio => ({
  id: row.id,
  account_id: row.accountId,
  slug: row.slug,
  name: row.name,
  created_at: row.createdAtMs,
  updated_at: row.updatedAtMs,
  members: memberships.ofPortfolio(row.id).map(({ projectId, project, addedAtMs }) => ({
    project_id: projectId,
    project,
    added_at: addedAtMs,
  })),
});

import { and, asc, eq } from "drizzle-orm";
import { type Caller, isReadable } from "../../domain/caller";
import { ApiError } from "../../domain/errors";
import { clock } from "../../lib/clock";
import { newId } from "../../lib/ids";
import type { ControlDatabase } from "./database";
import type { Member, membershipQueries } from "./memberships";
import { findProject } from "./project-selector";
import type { WithProjects } from "./projects";
import { type PortfolioRow, portfolio } from "./tables";

/** Finding portfolios. Who is in them: memberships.ts. */
export const portfolioQueries = (db: ControlDatabase) => ({
  byId: (id: string): PortfolioRow | undefined =>
    db.select().from(portfolio).where(eq(portfolio.id, id)).get(),
  bySlug: (accountId: string, slug: string): PortfolioRow | undefined =>
    db
      .select()
      .from(portfolio)
      .where(and(eq(portfolio.accountId, accountId), eq(portfolio.slug, slug)))
      .get(),
  /** Oldest first. */
  ofAccount: (accountId: string): PortfolioRow[] =>
    db
      .select()
      .from(portfolio)
      .where(eq(portfolio.accountId, accountId))
      .orderBy(asc(portfolio.createdAtMs), asc(portfolio.id))
      .all(),
});

type WithPortfolios = WithProjects & {
  readonly portfolios: ReturnType<typeof portfolioQueries>;
  readonly memberships: ReturnType<typeof membershipQueries>;
};

/** Finds a portfolio by id or by slug. Throws NOT_FOUND, and FORBIDDEN when it is another account's. */
export function findPortfolio(control: WithPortfolios, caller: Caller, selector: string) {
  const { id } = caller.account;
  const { portfolios } = control;
  const found = portfolios.byId(selector) ?? portfolios.bySlug(id, selector);
  if (found === undefined) {
    const message = "This portfolio does not exist. GET /portfolios lists those of this account.";
    throw new ApiError("NOT_FOUND", message);
  }
  if (found.accountId === id && isShown(control, caller, found)) return found;
  throw new ApiError("FORBIDDEN", "This portfolio belongs to another account.");
}

/** Returns the portfolios of which the caller may see every project, oldest first. */
export const shownPortfolios = (control: WithPortfolios, caller: Caller): PortfolioRow[] =>
  control.portfolios.ofAccount(caller.account.id).filter((row) => isShown(control, caller, row));

const isShown = (
  { memberships }: WithPortfolios,
  caller: Caller,
  { id, accountId }: PortfolioRow,
): boolean =>
  memberships
    .ofPortfolio(id)
    .every(({ projectId }) => isReadable(caller, { id: projectId, accountId }));

interface Members {
  /** Ids or names. */
  readonly projects: readonly string[];
  /** Tells whether projects may be taken out of other portfolios. */
  readonly allowMove: boolean;
}

/** Throws NOT_FOUND for a project, PORTFOLIO_SLUG_EXISTS, PROJECT_IN_OTHER_PORTFOLIO; then nothing has changed. */
export function addPortfolio(
  control: WithPortfolios,
  caller: Caller,
  made: Members & { readonly slug: string; readonly name: string },
): PortfolioRow {
  const { slug, name } = made;
  const accountId = caller.account.id;
  return control.write(() => {
    const wanted = projectsNamed(control, caller, made.projects);
    if (control.portfolios.bySlug(accountId, slug) !== undefined) {
      const message =
        "This account already has a portfolio with this slug. Choose another slug, or change that portfolio.";
      throw new ApiError("PORTFOLIO_SLUG_EXISTS", message);
    }
    const nowMs = clock.nowMs();
    const row = control.db
      .insert(portfolio)
      .values({
        ...{ id: newId("pf"), accountId, slug, name },
        ...{ createdAtMs: nowMs, updatedAtMs: nowMs },
      })
      .returning()
      .get();
    setMembers(control, row, wanted, made.allowMove, nowMs);
    return row;
  });
}

/** Throws as above; NOT_FOUND also when the portfolio was deleted meanwhile. */
export function changePortfolio(
  control: WithPortfolios,
  caller: Caller,
  selector: string,
  { name, members }: { readonly name?: string | undefined; readonly members: Members | null },
): PortfolioRow {
  return control.write(() => {
    const row = findPortfolio(control, caller, selector);
    if (name === undefined && members === null) return row;
    const nowMs = clock.nowMs();
    if (members !== null) {
      const wanted = projectsNamed(control, caller, members.projects);
      setMembers(control, row, wanted, members.allowMove, nowMs);
    }
    const change = { updatedAtMs: nowMs, ...(name !== undefined && { name }) };
    control.db.update(portfolio).set(change).where(eq(portfolio.id, row.id)).run();
    return { ...row, ...change };
  });
}

export function dropPortfolio(control: WithPortfolios, caller: Caller, selector: string): string {
  return control.write(() => {
    const { id } = findPortfolio(control, caller, selector);
    const { memberships } = control;
    // Memberships of deleted projects end here as well, so that the cascade meets none.
    memberships.end([...memberships.ofPortfolio(id), ...memberships.ofDeletedProjects()]);
    control.db.delete(portfolio).where(eq(portfolio.id, id)).run();
    return id;
  });
}

/** Ids of live projects of this account, with how the request called them. */
type Named = ReadonlyMap<string, string>;

function projectsNamed(
  control: WithPortfolios,
  caller: Caller,
  selectors: readonly string[],
): Named {
  const named = new Map<string, string>();
  for (const selector of selectors) {
    const { id } = findProject({ control }, caller, selector);
    if (!named.has(id)) named.set(id, selector);
  }
  return named;
}

/** Sets the members. A project that stays keeps its membership, and with it what it has told of people. */
function setMembers(
  { memberships, db }: WithPortfolios,
  { id }: PortfolioRow,
  wanted: Named,
  allowMove: boolean,
  nowMs: number,
): void {
  const present = memberships.ofPortfolio(id);
  const isPresent = new Set(present.map(({ projectId }) => projectId));
  const joining = [...wanted.keys()].filter((projectId) => !isPresent.has(projectId));
  const elsewhere = joining
    .map((projectId) => memberships.ofProject(projectId))
    .filter((member) => member !== undefined);
  if (elsewhere.length > 0 && !allowMove) throw inOther(elsewhere, wanted);
  for (const { portfolioId } of elsewhere) {
    db.update(portfolio).set({ updatedAtMs: nowMs }).where(eq(portfolio.id, portfolioId)).run();
  }
  const leaving = present.filter(({ projectId }) => !wanted.has(projectId));
  memberships.end([...leaving, ...elsewhere]);
  for (const projectId of joining) memberships.begin(id, projectId, nowMs);
}

function inOther(elsewhere: readonly Member[], wanted: Named): ApiError {
  const projects = elsewhere.map(({ projectId, project }) => wanted.get(projectId) ?? project);
  return new ApiError(
    "PROJECT_IN_OTHER_PORTFOLIO",
    "Some of these projects are in another portfolio, and a project can only be in one. Send allow_move: " +
      "true to move them.",
    { projects },
  );
}

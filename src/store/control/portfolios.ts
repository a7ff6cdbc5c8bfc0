import { and, asc, eq } from "drizzle-orm";
import type { ControlDatabase } from "./control";
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

import { and, eq, isNull, sql } from "drizzle-orm";
import type { BlockedIds } from "../../domain/blocked-ids";
import type { Exclusions } from "../../domain/exclusions/exclusions";
import type { IdentifySenders } from "../../domain/identity";
import { effectiveTier, type Tier } from "../../domain/plan";
import { type ControlConnection, type ControlDatabase, prepared } from "./database";
import { blockedId } from "./erasure-tables";
import { exclusion } from "./exclusion-tables";
import { exclusionsOf } from "./exclusions";
import { account, portfolioMember, project } from "./tables";

/** The facts about a project that ingestion needs. */
export interface Recipient {
  readonly id: string;
  readonly accountId: string;
  /** `*`, or normalized origins joined by commas. */
  readonly allowedOrigins: string;
  /** The senders from which it takes /identify. */
  readonly identify: IdentifySenders;
  /** Its place in a portfolio. */
  readonly membership: Membership | null;
  /** The rules by which it takes no event of some senders and pages; null where it has none. */
  readonly exclusions: Exclusions | null;
  /** The ids of erased people whose events the project excludes; null where it has none. */
  readonly blocked: BlockedIds | null;
}

interface Membership {
  readonly id: string;
  readonly portfolioId: string;
}

/** The connection that ingestion's directories of projects read. */
export type DirectoryControl = Pick<ControlConnection, "db" | "revision"> & {
  readonly blockedIds: { ofProject(projectId: string): BlockedIds | null };
};

const tokenForm = /^aat_[0-9a-f]{48}$/;

/**
 * The projects that receive events, in memory. All of it is dropped when anything in control.db was changed, so nobody
 * who changes a project has to think of it; unknown tokens are not remembered, so that they cost no memory.
 */
export class ProjectDirectory {
  readonly #control: DirectoryControl;
  readonly #query: ReturnType<typeof directoryQueries>;
  readonly #projects = new Map<string, Recipient>();
  readonly #tiers = new Map<string, Tier>();
  #seen = -1;

  constructor(control: DirectoryControl) {
    this.#query = directoryQueries(control.db);
    this.#control = control;
  }

  byToken(token: string): Recipient | undefined {
    this.#dropWhenStale();
    const known = this.#projects.get(token);
    if (known !== undefined || !tokenForm.test(token)) return known;
    const row = this.#query.project().get({ token });
    if (row === undefined) return undefined;
    const { rules, blocks, ...facts } = row;
    const blocked = blocks === 0 ? null : this.#control.blockedIds.ofProject(row.id);
    const found = { ...facts, exclusions: exclusionsOf(rules), blocked };
    this.#projects.set(token, found);
    return found;
  }

  /** The tier whose rights an account has; of one that is gone, the lesser. */
  tierOf(accountId: string): Tier {
    this.#dropWhenStale();
    const known = this.#tiers.get(accountId);
    if (known !== undefined) return known;
    const found = this.#query.account().get({ accountId });
    if (found === undefined) return "free";
    const tier = effectiveTier(found);
    this.#tiers.set(accountId, tier);
    return tier;
  }

  #dropWhenStale(): void {
    const { revision } = this.#control;
    if (this.#seen === revision) return;
    this.#seen = revision;
    this.#projects.clear();
    this.#tiers.clear();
  }
}

/** 1 where the project of a row has blocked ids, else 0. */
export const hasBlocked = sql<number>`exists (
  select 1 from ${blockedId} where ${blockedId.projectId} = ${project.id})`;

const directoryQueries = (db: ControlDatabase) => ({
  project: prepared(() =>
    db
      .select({
        id: project.id,
        accountId: project.accountId,
        allowedOrigins: project.allowedOrigins,
        identify: project.identify,
        membership: { id: portfolioMember.id, portfolioId: portfolioMember.portfolioId },
        rules: exclusion.rules,
        blocks: hasBlocked,
      })
      .from(project)
      .innerJoin(account, eq(account.id, project.accountId))
      .leftJoin(portfolioMember, eq(portfolioMember.projectId, project.id))
      .leftJoin(exclusion, eq(exclusion.projectId, project.id))
      .where(
        and(
          eq(project.token, sql.placeholder("token")),
          isNull(project.deletedAtMs),
          // Nobody adds to the demo.
          eq(account.isDemo, false),
        ),
      )
      .prepare(),
  ),
  account: prepared(() =>
    db
      .select({ tier: account.tier, complimentary: account.complimentary })
      .from(account)
      .where(eq(account.id, sql.placeholder("accountId")))
      .prepare(),
  ),
});

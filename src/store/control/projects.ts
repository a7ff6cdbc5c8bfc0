import { and, asc, count, eq, isNotNull, isNull, ne, sql } from "drizzle-orm";
import type { CallerAccount } from "../../domain/caller";
import { ApiError } from "../../domain/errors";
import { allowsMore, tierLimits } from "../../domain/plan";
import { clock } from "../../lib/clock";
import { newId, newToken } from "../../lib/ids";
import { type ControlConnection, type ControlDatabase, isDuplicate, prepared } from "./database";
import { account, type ProjectRow, project } from "./tables";

/** Finding a live project, as nearly every request does. */
export function projectQueries(db: ControlDatabase) {
  const byId = prepared(() =>
    db
      .select()
      .from(project)
      .where(and(eq(project.id, sql.placeholder("id")), isNull(project.deletedAtMs)))
      .prepare(),
  );
  const deletedById = prepared(() =>
    db
      .select()
      .from(project)
      .where(and(eq(project.id, sql.placeholder("id")), isNotNull(project.deletedAtMs)))
      .prepare(),
  );
  const byName = prepared(() =>
    db
      .select()
      .from(project)
      .where(
        and(
          eq(project.accountId, sql.placeholder("accountId")),
          eq(project.name, sql.placeholder("name")),
          isNull(project.deletedAtMs),
        ),
      )
      .prepare(),
  );
  const ofAccount = prepared(() =>
    db
      .select()
      .from(project)
      .where(and(eq(project.accountId, sql.placeholder("accountId")), isNull(project.deletedAtMs)))
      .orderBy(asc(project.createdAtMs), asc(project.id))
      .prepare(),
  );
  const countOf = prepared(() =>
    db
      .select({ projects: count() })
      .from(project)
      .where(and(eq(project.accountId, sql.placeholder("accountId")), isNull(project.deletedAtMs)))
      .prepare(),
  );
  const findById = (id: string): ProjectRow | undefined => byId().get({ id });
  return {
    byId: findById,
    /** Returns a project that was deleted and is not purged yet. */
    deletedById: (id: string): ProjectRow | undefined => deletedById().get({ id }),
    /**
     * Returns an account's live project by its id or its exact name. An id takes precedence, so no project may have the
     * id of another as its name: the name could not find it.
     */
    bySelector: (accountId: string, text: string): ProjectRow | undefined => {
      const found = text.startsWith("proj_") ? findById(text) : undefined;
      return found?.accountId === accountId ? found : byName().get({ accountId, name: text });
    },
    /** Live projects, oldest first. */
    ofAccount: (accountId: string): readonly ProjectRow[] => ofAccount().all({ accountId }),
    /** Live ones. */
    countOf: (accountId: string): number => countOf().get({ accountId })?.projects ?? 0,
    /**
     * Returns the owners of all projects, deleted ones included, but not of the demo's: no plan pays for its events.
     */
    owners: (): { readonly id: string; readonly accountId: string }[] =>
      db
        .select({ id: project.id, accountId: project.accountId })
        .from(project)
        .innerJoin(account, eq(account.id, project.accountId))
        .where(eq(account.isDemo, false))
        .all(),
  };
}

export type WithProjects = ControlConnection & {
  readonly projects: ReturnType<typeof projectQueries>;
};

export interface NewProject {
  readonly name: string;
  readonly allowedOrigins: string;
  readonly primaryDomain: string;
  /** The scan that it began with. */
  readonly sourceScanId: string | null;
  /** The address at which to upgrade, when the plan has no room for it. */
  readonly upgradeUrl: string;
}

/** Makes a project, or finds the one of this name as it is. Throws PRO_REQUIRED and DUPLICATE_ORIGIN. */
export function addProject(
  control: WithProjects,
  account: CallerAccount,
  made: NewProject,
): { readonly row: ProjectRow; readonly isNew: boolean } {
  return orDuplicate(() =>
    control.write(() => {
      const { name, allowedOrigins, primaryDomain, sourceScanId } = made;
      const existing = control.projects.bySelector(account.id, name);
      if (existing !== undefined) return { row: existing, isNew: false };
      requireRoom(control, account, made.upgradeUrl);
      refuseTakenOrigin(control, account.id, primaryDomain, "");
      const row = control.db
        .insert(project)
        .values({
          id: newId("proj"),
          accountId: account.id,
          name,
          token: newToken("aat"),
          allowedOrigins,
          primaryDomain,
          sourceScanId,
          createdAtMs: clock.nowMs(),
        })
        .returning()
        .get();
      return { row, isNew: true };
    }),
  );
}

export type Change = Partial<
  Pick<ProjectRow, "name" | "allowedOrigins" | "primaryDomain" | "timezone" | "identify">
>;

/** Throws DUPLICATE_NAME, DUPLICATE_ORIGIN, and NOT_FOUND when it was deleted meanwhile. */
export function changeProject(
  control: WithProjects,
  { id, accountId }: ProjectRow,
  change: Change,
): ProjectRow {
  return orDuplicate(() =>
    control.write(() => {
      const { name, primaryDomain } = change;
      if (name !== undefined) refuseTakenName(control, accountId, name, id);
      if (primaryDomain !== undefined) refuseTakenOrigin(control, accountId, primaryDomain, id);
      const row = control.db
        .update(project)
        .set(change)
        .where(and(eq(project.id, id), isNull(project.deletedAtMs)))
        .returning()
        .get();
      if (row === undefined) throw new ApiError("NOT_FOUND", "This project was deleted.");
      return row;
    }),
  );
}

function requireRoom(control: WithProjects, { id, tier }: CallerAccount, upgradeUrl: string): void {
  const limit = tierLimits[tier].max_projects;
  if (allowsMore(limit, control.projects.countOf(id))) return;
  const message =
    `The Free plan allows ${limit} projects, and this account has that many. Open upgrade_url to upgrade, ` +
    "or delete a project.";
  throw new ApiError("PRO_REQUIRED", message, {
    reason: "project_limit",
    upgrade_url: upgradeUrl,
  });
}

function refuseTakenName(
  control: WithProjects,
  accountId: string,
  name: string,
  ownId: string,
): void {
  const holder = control.projects.bySelector(accountId, name);
  if (holder !== undefined && holder.id !== ownId) throw duplicateName();
}

function refuseTakenOrigin(
  { db }: WithProjects,
  accountId: string,
  origin: string,
  ownId: string,
): void {
  const holder = db
    .select({ id: project.id })
    .from(project)
    .where(
      and(
        eq(project.accountId, accountId),
        eq(project.primaryDomain, origin),
        ne(project.id, ownId),
        isNull(project.deletedAtMs),
      ),
    )
    .get();
  if (holder !== undefined)
    throw duplicateOrigin("Another project of this account already has this origin.");
}

/** Conflicts that pass the checks above are refused by the database's own rules. */
function orDuplicate<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    throw String(error).includes("project.name")
      ? duplicateName()
      : duplicateOrigin("Another project already has this origin.");
  }
}

const duplicateName = (): ApiError =>
  new ApiError(
    "DUPLICATE_NAME",
    "Another project of this account already has this name. Choose another name.",
  );
const duplicateOrigin = (why: string): ApiError =>
  new ApiError("DUPLICATE_ORIGIN", `${why} Use that project, or send another origin.`);

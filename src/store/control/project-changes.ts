import { and, eq, isNull, ne } from "drizzle-orm";
import type { CallerAccount } from "../../domain/caller";
import { ApiError } from "../../domain/errors";
import { allowsMore, tierLimits } from "../../domain/plan";
import { clock } from "../../lib/clock";
import { newId, newToken } from "../../lib/ids";
import { type Control, isDuplicate } from "./control";
import { apiKey, type ProjectRow, project } from "./tables";

export const hasKey = ({ db }: Control, accountId: string): boolean =>
  db.select({ hash: apiKey.hash }).from(apiKey).where(eq(apiKey.accountId, accountId)).get() !==
  undefined;

export interface NewProject {
  readonly name: string;
  readonly allowedOrigins: string;
  readonly primaryDomain: string;
  /** The scan that it began with. */
  readonly sourceScanId: string | null;
  /** Where to upgrade, when the plan has no room for it. */
  readonly upgradeUrl: string;
}

/** Makes a project, or finds the one of this name as it is. Throws PRO_REQUIRED and DUPLICATE_ORIGIN. */
export function addProject(
  control: Control,
  account: CallerAccount,
  made: NewProject,
): { readonly row: ProjectRow; readonly isNew: boolean } {
  return orDuplicate(() =>
    control.write(() => {
      const { name, allowedOrigins, primaryDomain, sourceScanId } = made;
      const existing = control.projects.byName(account.id, name);
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
  Pick<ProjectRow, "name" | "allowedOrigins" | "primaryDomain" | "timezone">
>;

/** Throws DUPLICATE_NAME, DUPLICATE_ORIGIN, and NOT_FOUND when it was deleted meanwhile. */
export function changeProject(
  control: Control,
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

function requireRoom(control: Control, { id, tier }: CallerAccount, upgradeUrl: string): void {
  const limit = tierLimits[tier].max_projects;
  if (allowsMore(limit, control.projects.countOf(id))) return;
  const message = `The free plan has ${limit} projects. Upgrade at upgrade_url, or delete one.`;
  throw new ApiError("PRO_REQUIRED", message, {
    reason: "project_limit",
    upgrade_url: upgradeUrl,
  });
}

function refuseTakenName(control: Control, accountId: string, name: string, ownId: string): void {
  const holder = control.projects.byName(accountId, name);
  if (holder !== undefined && holder.id !== ownId) throw duplicateName();
}

function refuseTakenOrigin(
  { db }: Control,
  accountId: string,
  origin: string,
  ownId: string,
): void {
  const holder = db
    .select({ name: project.name })
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
    throw duplicateOrigin(`${origin} is the origin of the project "${holder.name}".`);
}

/** What the checks above let through, the database's own rules refuse. */
function orDuplicate<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    throw String(error).includes("project.name")
      ? duplicateName()
      : duplicateOrigin("This origin is taken.");
  }
}

const duplicateName = (): ApiError =>
  new ApiError("DUPLICATE_NAME", "Another project of this account has this name. Choose another.");
const duplicateOrigin = (why: string): ApiError =>
  new ApiError("DUPLICATE_ORIGIN", `${why} Use that project, or another origin.`);

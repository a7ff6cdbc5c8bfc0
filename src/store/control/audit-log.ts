import { and, desc, eq, gte, inArray, isNull, lt, or, type SQL, sql } from "drizzle-orm";
import type { AuditAction } from "../../domain/audit";
import { auditEntry } from "./audit-tables";
import type { ControlConnection } from "./database";

export type AuditRow = typeof auditEntry.$inferSelect;

/** The entries of a page of the log. */
export interface AuditPage {
  /** Null for the entries of the server. */
  readonly accountId: string | null;
  /** The reader's reach: entries about other projects are left out. Null where the reader sees all projects. */
  readonly projects: readonly string[] | null;
  readonly fromMs: number;
  readonly toMs: number;
  readonly action: AuditAction | null;
  /** The id or the address of a person. */
  readonly actor: string | null;
  readonly limit: number;
  /** The last entry of the page before. */
  readonly before: { readonly atMs: number; readonly id: string } | null;
}

/** Newest first. */
export function auditEntries({ db }: ControlConnection, page: AuditPage): readonly AuditRow[] {
  const { accountId, projects, fromMs, toMs, action, actor, limit, before } = page;
  const { atMs, id, actorId, actorEmail, projectId } = auditEntry;
  const conditions: readonly (SQL | undefined)[] = [
    accountId === null ? isNull(auditEntry.accountId) : eq(auditEntry.accountId, accountId),
    gte(atMs, fromMs),
    lt(atMs, toMs),
    projects === null ? undefined : or(isNull(projectId), inArray(projectId, [...projects])),
    // Few entries share an action: without this word SQLite reads all of the account to find them.
    action === null ? undefined : sql`likelihood(${eq(auditEntry.action, action)}, 0.001)`,
    actor === null ? undefined : or(eq(actorId, actor), eq(actorEmail, actor)),
    before === null
      ? undefined
      : or(lt(atMs, before.atMs), and(eq(atMs, before.atMs), lt(id, before.id))),
  ];
  return db
    .select()
    .from(auditEntry)
    .where(and(...conditions))
    .orderBy(desc(atMs), desc(id))
    .limit(limit)
    .all();
}

/** The entries of the server about accounts that are erased keep their ids, and lose the addresses of people. */
export function forgetNames({ db }: ControlConnection, accountIds: readonly string[]): void {
  db.update(auditEntry)
    .set({ targetName: null, actorId: null, actorEmail: null })
    .where(and(isNull(auditEntry.accountId), inArray(auditEntry.targetId, [...accountIds])))
    .run();
}

/** Deletes the entries from before a time. */
export function forgetAudit(control: ControlConnection, beforeMs: number): void {
  const { db } = control;
  const old = lt(auditEntry.atMs, beforeMs);
  if (db.select({ id: auditEntry.id }).from(auditEntry).where(old).limit(1).get() === undefined) {
    return;
  }
  control.write(() => {
    db.delete(auditEntry).where(old).run();
  });
}

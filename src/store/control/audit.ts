import { and, count, eq, gte } from "drizzle-orm";
import type { Actor, AuditAction } from "../../domain/audit";
import { type Caller, memberOf } from "../../domain/caller";
import { clock } from "../../lib/clock";
import { newId } from "../../lib/ids";
import { auditEntry } from "./audit-tables";
import type { ControlConnection } from "./database";

export interface AuditEntry {
  /** The account that it concerns; null for the server. */
  readonly accountId: string | null;
  readonly actor: Actor;
  readonly action: AuditAction;
  readonly target: { readonly type: string; readonly id: string; readonly name?: string };
  /** Neither secrets nor texts of visitors. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/** Writes an entry. Runs within the transaction that makes the change. */
export function note(
  { db }: ControlConnection,
  { accountId, actor, action, target, details = {} }: AuditEntry,
): void {
  db.insert(auditEntry)
    .values({
      ...{ id: newId("aud"), accountId, atMs: clock.nowMs(), action, details },
      ...{ actorKind: actor.kind, actorId: actor.id, actorEmail: actor.email },
      ...{ targetType: target.type, targetId: target.id, targetName: target.name ?? null },
    })
    .run();
}

/** The person behind a request, with the credential that brought it. */
export function actorOf(caller: Caller): Actor {
  const { personId: id, email } = memberOf(caller);
  return { kind: caller.kind === "share" ? "key" : caller.kind, id, email };
}

/** How often something was done in an account since a time. */
export const countedSince = (
  { db }: ControlConnection,
  accountId: string,
  action: AuditAction,
  sinceMs: number,
): number =>
  db
    .select({ entries: count() })
    .from(auditEntry)
    .where(
      and(
        eq(auditEntry.accountId, accountId),
        eq(auditEntry.action, action),
        gte(auditEntry.atMs, sinceMs),
      ),
    )
    .get()?.entries ?? 0;

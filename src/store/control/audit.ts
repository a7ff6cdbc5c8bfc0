import { and, count, eq, gte } from "drizzle-orm";
import type { Actor, AuditAction } from "../../domain/audit";
import { type Caller, memberOf } from "../../domain/caller";
import { ApiError } from "../../domain/errors";
import { clock } from "../../lib/clock";
import { newId } from "../../lib/ids";
import { log } from "../../lib/log";
import { auditEntry } from "./audit-tables";
import type { ControlConnection } from "./database";
import { member } from "./member-tables";

export interface AuditEntry {
  /** The account that it concerns; null for the server. */
  readonly accountId: string | null;
  /** The project that it concerns; where the target is a project it need not be said. */
  readonly projectId?: string | null;
  readonly actor: Actor;
  readonly action: AuditAction;
  readonly target: { readonly type: string; readonly id: string; readonly name?: string };
  /** Neither secrets nor texts of visitors. */
  readonly details?: Readonly<Record<string, unknown>>;
  /** Sign-ins alone have one, as `shownNetworkOf` shortens it. */
  readonly network?: string | null;
}

/** Writes an entry. Runs within the transaction that makes the change. */
export function note(
  { db }: ControlConnection,
  { accountId, actor, action, target, details = {}, network = null, ...about }: AuditEntry,
): void {
  const { projectId = target.type === "project" ? target.id : null } = about;
  db.insert(auditEntry)
    .values({
      ...{ id: newId("aud"), accountId, projectId, atMs: clock.nowMs() },
      ...{ action, details, network },
      ...{ actorKind: actor.kind, actorId: actor.id, actorEmail: actor.email },
      ...{ targetType: target.type, targetId: target.id, targetName: target.name ?? null },
    })
    .run();
}

/** Makes a change and its entry in one commit. `entryOf` returns null where nothing changed. */
export const audited = <T>(
  control: ControlConnection,
  change: () => T,
  entryOf: (changed: T) => AuditEntry | null,
): T =>
  control.write(() => {
    const changed = change();
    const entry = entryOf(changed);
    if (entry !== null) note(control, entry);
    return changed;
  });

/** Writes an entry about a person's log-in into each account of which the person is a member. Runs within a change. */
export function noteOfPerson(
  control: ControlConnection,
  personId: string,
  entry: Omit<AuditEntry, "accountId">,
  hasRoom: (accountId: string) => boolean = () => true,
): void {
  const accounts = control.db
    .select({ id: member.accountId })
    .from(member)
    .where(eq(member.personId, personId))
    .all();
  for (const { id } of accounts) if (hasRoom(id)) note(control, { ...entry, accountId: id });
}

/** The person behind a request, with the credential that brought it. Behind a share is nobody: its token is a key. */
export function actorOf(caller: Caller): Actor {
  if (caller.kind === "share") return { kind: "key", id: caller.id, email: null };
  const { personId: id, email } = memberOf(caller);
  return { kind: caller.kind, id, email };
}

/** An entry about what a caller does in the acting account. */
export const entryOf = (
  caller: Caller,
  action: AuditAction,
  target: AuditEntry["target"],
  more: Pick<AuditEntry, "details" | "projectId"> = {},
): AuditEntry => ({
  ...{ accountId: caller.account.id, actor: actorOf(caller), action, target, ...more },
});

export const targetProject = ({ id, name }: { readonly id: string; readonly name: string }) => ({
  ...{ type: "project", id, name },
});

/** Enters the settings of a project that were changed, if any was. Runs within the change. */
export function noteProjectChanged(
  control: ControlConnection,
  caller: Caller,
  project: { readonly id: string; readonly name: string },
  details: NonNullable<AuditEntry["details"]>,
): void {
  if (Object.keys(details).length === 0) return;
  note(control, entryOf(caller, "project_changed", targetProject(project), { details }));
}

/** Writes an entry before something changes in another database than this one. */
export const noteAhead = (control: ControlConnection, entry: AuditEntry): void =>
  control.write(() => note(control, entry));

/**
 * Writes an entry before a read is answered. A disk that takes nothing refuses no read, as somebody who makes room has
 * to see what there is: the log has the entry then.
 */
export function noteRead(control: ControlConnection, entry: AuditEntry): void {
  try {
    noteAhead(control, entry);
  } catch (error) {
    if (!(error instanceof ApiError && error.code === "UNAVAILABLE")) throw error;
    const { action, actor, target } = entry;
    const who = { actor: actor.id ?? actor.kind, target: target.id };
    log("warn", "the audit log could not be written", { action, ...who });
  }
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
